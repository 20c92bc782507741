// Whole networks of every family against tests/golden/families/make_families.py: loss and its parts,
// gradients of all parameters, generated texts, and the states of the first source's reverse steps.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/text/trained_specials.h"
#include "tests/models/family_fixture.h"

namespace kurve::models {
namespace {

using nlohmann::json;

struct GoldenCase {
    std::string family, name;
};

json familyFile(const std::string& family) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/families/" + family + ".json");
    return json::parse(file);
}

/// What GoogleTest shows of a parameter.
void PrintTo(const GoldenCase& golden, std::ostream* out) {
    *out << golden.family << " " << golden.name;
}

std::string nameOf(const ::testing::TestParamInfo<GoldenCase>& info) {
    return info.param.family + "_" + info.param.name;
}

std::vector<GoldenCase> casesOf(std::initializer_list<const char*> families) {
    std::vector<GoldenCase> all;
    for (const char* family : families) {
        const json file = familyFile(family);
        for (const auto& [name, golden] : file.at("cases").items()) all.push_back({family, name});
    }
    return all;
}

bool isLengthTable(const std::string& name) {
    return name == "length" || name == "length.weight";
}

/// blocks.py has the formula in words.
float weightAt(const std::string& name, std::int64_t element, std::int64_t width, std::int64_t lengthCenter) {
    std::int64_t salt = 0, n = element + 1;
    for (std::size_t i = 0; i < name.size(); ++i)
        salt += static_cast<std::int64_t>(i + 1) * static_cast<unsigned char>(name[i]);
    constexpr std::int64_t kPrime = 65521;
    const std::int64_t h = n * ((1237 * n + salt % kPrime) % kPrime) % kPrime;
    const double v = 2.0 * static_cast<double>(h) / static_cast<double>(kPrime) - 1.0;
    const std::string_view text(name);
    if (text.ends_with("norm.weight")) return static_cast<float>(1.0 + 0.2 * v);
    if (text.ends_with("alpha")) return static_cast<float>(0.5 + 0.2 * v);
    if (text.ends_with(".bias")) return static_cast<float>(0.1 * v);
    if (isLengthTable(name))
        return static_cast<float>(2.0 * v /
                                  (4.0 + static_cast<double>(std::abs(element / width - lengthCenter))));
    return static_cast<float>(0.5 * v);
}

void setWeights(torch::nn::Module& module, std::int64_t lengthCenter) {
    const torch::NoGradGuard noGrad;
    for (const auto& item : module.named_parameters()) {
        std::vector<float> values;
        const std::int64_t width = item.value().dim() > 1 ? item.value().size(1) : 1;
        for (std::int64_t i = 0; i < item.value().numel(); ++i)
            values.push_back(weightAt(item.key(), i, width, lengthCenter));
        item.value().copy_(at::tensor(values).view(item.value().sizes()));
    }
}

using Rows = std::vector<std::vector<std::int32_t>>;

/// [rows, longest] and the lengths of one side.
int pad(const Rows& rows, std::vector<std::int32_t>& ids, std::vector<std::int32_t>& lengths) {
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.size());
    for (const auto& row : rows) {
        ids.insert(ids.end(), row.begin(), row.end());
        ids.insert(ids.end(), width - row.size(), text::kPad);
        lengths.push_back(static_cast<std::int32_t>(row.size()));
    }
    return static_cast<int>(width);
}

/// Bounds of the relative error; of a gradient, relative to the product of the norms.
struct Bounds {
    double loss, gradient;
};
constexpr Bounds kFloat{1e-6, 1e-5}, kDouble{1e-12, 1e-11};

void expectClose(double got, double wanted, double relative, const std::string& what) {
    EXPECT_NEAR(got, wanted, relative * std::abs(wanted)) << what;
}

class GoldenNetwork : public ::testing::TestWithParam<GoldenCase> {
protected:
    void SetUp() override {
        file_ = familyFile(GetParam().family);
        golden_ = file_.at("cases").at(GetParam().name);
        std::vector<Override> settings;
        for (const auto& [key, value] : golden_.at("settings").items())
            settings.emplace_back(key, value.get<std::string>());
        config_ = testing::toyConfig(GetParam().family, settings);
        const std::int64_t vocabulary = file_.at("vocabulary");
        auto made =
            findFamily(GetParam().family)
                ->create(*config_,
                         {{vocabulary, vocabulary, true, file_.at("longest"), true, text::kTrainedSpecials},
                          at::kCPU});
        ASSERT_TRUE(made) << made.error().text();
        model_ = std::move(*made);
        setWeights(model_->module(), file_.at("length_center"));
    }

    [[nodiscard]] train::DeviceBatch batch() const {
        text::Batch host;
        const Rows sources = file_.at("sources"), targets = file_.at("targets");
        host.rows = static_cast<int>(sources.size());
        host.sourceLength = pad(sources, host.source, host.sourceLengths);
        host.targetLength = pad(targets, host.target, host.targetLengths);
        for (int r = 0; r < host.rows; ++r) host.pairs.push_back(r);
        return train::toDevice(host, at::kCPU);
    }

    [[nodiscard]] train::LossReport loss() const {
        return model_->loss(batch(), {file_.at("seed"), golden_.at("step"), file_.at("first_row")});
    }

    void expectLossAndGradients(const Bounds& bounds) const {
        const train::LossReport report = loss();
        expectClose(report.total.item<double>(), golden_.at("loss"), bounds.loss, "loss");
        for (const auto& [name, value] : golden_.at("parts").items()) {
            ASSERT_TRUE(report.parts.contains(name)) << name;
            expectClose(report.parts.at(name).item<double>(), value, bounds.loss, name);
        }
        EXPECT_EQ(report.parts.size(), golden_.at("parts").size());
        report.total.backward();
        const json& gradients = golden_.at("gradients");
        const auto parameters = model_->module().named_parameters();
        EXPECT_EQ(parameters.size(), gradients.size());
        for (const auto& item : parameters) {
            ASSERT_TRUE(gradients.contains(item.key())) << item.key();
            expectGradient(item.key(), item.value(), gradients.at(item.key()), bounds.gradient);
        }
    }

    /// `wanted`: its norm and its product with the parameter, which sees signs and the order of elements too.
    static void expectGradient(const std::string& name, const at::Tensor& parameter, const json& wanted,
                               double relative) {
        ASSERT_TRUE(parameter.grad().defined()) << name;
        const at::Tensor gradient = parameter.grad().to(at::kDouble),
                         value = parameter.detach().to(at::kDouble);
        const double norm = wanted.at(0);
        // The scorer's last bias moves no softmax: its gradient is zero but for rounding, which differs by
        // processor: 1.2e-7 was seen.
        const double within = relative * std::max(norm, norm == 0 ? 0.1 : 0.01);
        EXPECT_NEAR(gradient.norm().item<double>(), norm, within) << name;
        EXPECT_NEAR((gradient * value).sum().item<double>(), wanted.at(1),
                    within * value.norm().item<double>())
            << name;
    }

    [[nodiscard]] train::GenerateRequest request() const {
        train::GenerateRequest request;
        request.sources = file_.at("sources").get<Rows>();
        request.seed = file_.at("sample_seed");
        request.what = {"latent"};
        return request;
    }

    json file_, golden_;
    std::optional<RunConfig> config_;
    std::unique_ptr<train::SequenceModel> model_;
};

TEST_P(GoldenNetwork, LossPartsAndGradientsAreEqual) {
    expectLossAndGradients(kFloat);
}

TEST_P(GoldenNetwork, GeneratedTextsAndScoresAreEqual) {
    const auto generated = model_->generate(request(), *config_, nullptr);
    ASSERT_TRUE(generated) << generated.error().text();
    const json& rows = golden_.at("generated");
    ASSERT_EQ(generated->rows.size(), rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::vector<train::Candidate>& candidates = generated->rows[r].candidates;
        ASSERT_EQ(candidates.size(), rows[r].size());
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            EXPECT_EQ(candidates[c].ids, rows[r][c].at("ids").get<std::vector<std::int32_t>>());
            expectClose(candidates[c].score, rows[r][c].at("score"), kFloat.loss, "score");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenNetwork,
                         ::testing::ValuesIn(casesOf({"cmlm", "difformer", "sclm", "transformer"})), nameOf);

/// The families with continuous states.
class GoldenReverseSteps : public GoldenNetwork {};

// z_t and the estimate at each of them.
TEST_P(GoldenReverseSteps, StatesOfTheFirstSourceAreEqual) {
    ASSERT_EQ(golden_.at("trace").size(), 2U);
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto generated = model_->generate(request(), *config_, &sink);
    ASSERT_TRUE(generated) << generated.error().text();
    for (const auto& [name, steps] : golden_.at("trace").items()) {
        ASSERT_NE(trace.block(name), nullptr) << name;
        const trace::Block& block = *trace.block(name);
        std::vector<double> wanted;
        for (const json& step : steps)
            for (const json& position : step)
                for (const json& value : position) wanted.push_back(value);
        ASSERT_EQ(block.data.size(), wanted.size()) << name;
        for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(block.data[i], wanted[i], 2e-6) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenReverseSteps, ::testing::ValuesIn(casesOf({"difformer", "sclm"})),
                         nameOf);

/// The family that computes in doubles, where nothing hides below float32's rounding.
class GoldenDoubles : public GoldenNetwork {};

TEST_P(GoldenDoubles, LossPartsAndGradientsAreEqual) {
    model_->module().to(at::kDouble);
    expectLossAndGradients(kDouble);
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenDoubles, ::testing::ValuesIn(casesOf({"transformer"})), nameOf);

}  // namespace
}  // namespace kurve::models
