// Texts, traces and edits of the Transformer of texts without a source.
#include "core/text/trained_specials.h"
#include "tests/models/transformer/decoder_only_fixture.h"

#include <torch/torch.h>

#include <cmath>
#include <map>
#include <set>

namespace kurve::models::transformer::texts {
namespace {

TEST(DecoderOnlyGeneration, ABeamWideEnoughIsTheExhaustiveSearch) {
    // <unk> and two words can be generated: 3 + 9 + 27 texts of one to three tokens.
    const RunConfig config = configOf({{"sampler.beam", "64"}, {"sampler.max_length_b", "3"}});
    const auto model = confidentModel(config, {kWord + 2, 16});
    const std::vector<Ids> prefixes{{}, {kWord}, {kWord + 1, kWord, text::kUnk}, {kWord + 1}};
    std::vector<text::TextTemplate> known;
    for (const Ids& prefix : prefixes) known.push_back(prefixOf(prefix));
    const train::Generation all = generated(*model, config, requestOf(known));
    for (std::size_t r = 0; r < prefixes.size(); ++r) {
        const auto& found = all.rows[r].candidates;
        ASSERT_EQ(found.size(), 39U);
        std::set<Ids> different;
        for (std::size_t c = 0; c < found.size(); ++c) {
            const Ids& ids = found[c].ids;
            different.insert(ids);
            EXPECT_TRUE(std::equal(prefixes[r].begin(), prefixes[r].end(), ids.begin())) << "prefix is kept";
            const double sum = sumOf(logProbabilities(*model, ids), prefixes[r].size());
            EXPECT_NEAR(found[c].score, sum / static_cast<double>(ids.size() - prefixes[r].size() + 1), 1e-4);
            if (c > 0) EXPECT_GE(found[c - 1].score, found[c].score);
        }
        EXPECT_EQ(different.size(), 39U);
    }
}

TEST(DecoderOnlyGeneration, ATextDoesNotDependOnThoseBesideIt) {
    for (const char* method : {"beam", "sample"}) {
        const RunConfig config = configOf({{"sampler.method", method}, {"sampler.beam", "3"}});
        const auto model = confidentModel(config);
        const std::vector<Ids> prefixes{{7, 8}, {}, {9}, {7, 8, 9, 10}, {11}};
        std::vector<text::TextTemplate> known;
        for (const Ids& prefix : prefixes) known.push_back(prefixOf(prefix));
        const train::Generation all = generated(*model, config, requestOf(known));
        for (std::size_t r = 0; r < prefixes.size(); ++r) {
            train::GenerateRequest alone = requestOf({known[r]});
            alone.firstRow = r;
            const train::Generation one = generated(*model, config, alone);
            for (std::size_t c = 0; c < 3; ++c)
                EXPECT_EQ(one.rows[0].candidates[c].ids, all.rows[r].candidates[c].ids) << method << r << c;
        }
    }
}

/// p of the tokens that may follow, by the whole pass.
std::vector<double> nextDistribution(DecoderOnlyNetImpl& net, const Ids& before) {
    std::vector<std::int64_t> ids{text::kBos};
    ids.insert(ids.end(), before.begin(), before.end());
    const std::vector<std::int32_t> length{static_cast<std::int32_t>(ids.size())};
    at::Tensor logits = net.logits(net.read(at::tensor(ids).unsqueeze(0), length, {}))[0][-1].to(at::kDouble);
    for (const auto never : {text::kBos, text::kPad, text::kMask})
        logits[never] = -std::numeric_limits<double>::infinity();
    const at::Tensor p = at::softmax(logits, 0).contiguous();
    return {p.const_data_ptr<double>(), p.const_data_ptr<double>() + p.numel()};
}

TEST(DecoderOnlyGeneration, SamplesFollowTheModelsDistribution) {
    const RunConfig config = configOf({{"sampler.method", "sample"},
                                       {"sampler.beam", "64"},
                                       {"sampler.min_length", "0"},
                                       {"sampler.max_length_b", "2"}});
    const auto model = confidentModel(config, {kWord + 2, 16}, 1);
    const torch::NoGradGuard noGrad;
    for (const Ids& prefix : {Ids{}, Ids{kWord + 1, kWord}}) {
        std::map<Ids, double> p;
        const auto first = nextDistribution(netOf(*model), prefix);
        p[prefix] = first[text::kEos];
        for (const std::int32_t a : {text::kUnk, kWord, kWord + 1}) {
            Ids one = prefix;
            one.push_back(a);
            const auto second = nextDistribution(netOf(*model), one);
            p[one] = first[static_cast<std::size_t>(a)] * second[text::kEos];
            for (const std::int32_t b : {text::kUnk, kWord, kWord + 1}) {
                Ids two = one;
                two.push_back(b);
                p[two] = first[static_cast<std::size_t>(a)] * second[static_cast<std::size_t>(b)];
            }
        }
        constexpr int kRows = 128, kSamples = kRows * 64;
        std::map<Ids, int> counts;
        for (const auto& row :
             generated(*model, config, requestOf(std::vector(kRows, prefixOf(prefix)))).rows)
            for (const auto& candidate : row.candidates) ++counts[candidate.ids];
        double chiSquare = 0;
        for (const auto& [ids, probability] : p) {
            EXPECT_GT(probability * kSamples, 5) << "too rare to test";
            chiSquare += std::pow(counts[ids] - probability * kSamples, 2) / (probability * kSamples);
        }
        EXPECT_EQ(p.size(), 13U);
        EXPECT_LT(chiSquare, 32.9) << "12 degrees of freedom, p = 0.001";
    }
}

TEST(DecoderOnlyGeneration, LengthsKeepToTheSamplerAndTheModel) {
    const RunConfig config =
        configOf({{"sampler.method", "sample"}, {"sampler.beam", "4"}, {"sampler.min_length", "5"}});
    const auto model = confidentModel(config);
    for (const auto& row : generated(*model, config, requestOf(std::vector(4, prefixOf({7, 8})))).rows)
        for (const auto& candidate : row.candidates) {
            EXPECT_GE(candidate.ids.size(), 7U);
            EXPECT_LE(candidate.ids.size(), 14U) << "BOS and EOS are two of sixteen";
        }
    const RunConfig brief =
        configOf({{"sampler.beam", "1"}, {"sampler.min_length", "3"}, {"sampler.max_length_b", "3"}});
    EXPECT_EQ(generated(*model, brief, requestOf({prefixOf({7, 8})})).rows[0].best.ids.size(), 5U);
    // Without a template nothing is known.
    train::GenerateRequest request;
    request.sources.resize(2);
    EXPECT_EQ(generated(*model, brief, request).rows[1].best.ids.size(), 3U);
}

TEST(DecoderOnlyGeneration, ABlockOfRunningTextGoesOnOverEos) {
    for (const char* method : {"beam", "sample"})
        for (const char* shortest : {"1", "14"}) {
            const RunConfig config = configOf({{"data.format", "running"},
                                               {"sampler.method", method},
                                               {"sampler.beam", "3"},
                                               {"sampler.min_length", shortest}});
            const auto model = confidentModel(config);
            // A tied model likes to repeat a token.
            const std::vector<Ids> prefixes{{}, {7, text::kEos}, {8, text::kEos}};
            std::vector<text::TextTemplate> known;
            for (const Ids& prefix : prefixes) known.push_back(prefixOf(prefix));
            const train::Generation all = generated(*model, config, requestOf(known));
            int ends = 0;
            for (std::size_t r = 0; r < prefixes.size(); ++r)
                for (const auto& candidate : all.rows[r].candidates) {
                    const auto given = prefixes[r].size();
                    ASSERT_EQ(candidate.ids.size(), 14U) << method;
                    ends += static_cast<int>(
                        std::count(candidate.ids.begin() + static_cast<std::ptrdiff_t>(given),
                                   candidate.ids.end(), text::kEos));
                    EXPECT_NEAR(candidate.score,
                                sumOf(logProbabilities(*model, candidate.ids), given) /
                                    static_cast<double>(15 - given),
                                1e-4);
                }
            EXPECT_GT(ends, 0) << method;
        }
}

class DecoderOnlyTrace : public ::testing::TestWithParam<const char*> {
protected:
    trace::Trace made(const std::vector<trace::Edit>& edits = {}) {
        request_.edits = edits;
        trace::Trace trace;
        trace::TraceBuilder sink(trace);
        best_ = generated(*model_, config_, request_, &sink).rows[0].best;
        return trace;
    }
    std::string code(const trace::Edit& edit) {
        request_.edits = {edit};
        trace::Trace trace;
        trace::TraceBuilder sink(trace);
        const auto all = model_->generate(request_, config_, &sink);
        return all ? "fine" : all.error().code;
    }

    RunConfig config_ =
        configOf({{"sampler.method", GetParam()}, {"sampler.beam", "3"}, {"sampler.min_length", "6"}});
    std::unique_ptr<train::SequenceModel> model_ = confidentModel(config_);
    train::GenerateRequest request_ = [] {
        train::GenerateRequest request = requestOf({prefixOf({7, 8})});
        request.what = {"hidden", "attention"};
        return request;
    }();
    train::Candidate best_;
};

TEST_P(DecoderOnlyTrace, GivesThePrefixAndOneNewTokenPerStep) {
    const trace::Trace trace = made();
    ASSERT_EQ(trace.positions, static_cast<int>(best_.ids.size()) + 2);
    ASSERT_EQ(trace.steps, trace.positions - 3);
    EXPECT_TRUE(trace.ordered());
    const std::vector<double> logP = logProbabilities(*model_, best_.ids);
    double sum = 0;
    for (int step = 0; step < trace.steps; ++step)
        for (int position = 0; position < trace.positions; ++position) {
            using enum trace::TokenState;
            const std::size_t cell = trace.cell(step, position);
            const auto expected = position < 3           ? Given
                                  : position < step + 3  ? Kept
                                  : position == step + 3 ? New
                                                         : Masked;
            EXPECT_EQ(trace.state[cell], static_cast<std::uint8_t>(expected));
            if (expected != New) continue;
            EXPECT_NEAR(std::log(trace.confidence[cell]), logP[static_cast<std::size_t>(position - 1)], 1e-4);
            sum += std::log(trace.confidence[cell]);
        }
    EXPECT_NEAR(sum / trace.steps, best_.score, 1e-4);
    const auto* hidden = trace.block("hidden/1");
    ASSERT_EQ(hidden->shape, (std::vector<std::int64_t>{trace.steps, trace.positions, 32}));
    const auto at = [&](int step, int position) {
        return hidden->data[static_cast<std::size_t>((step * trace.positions + position) * 32)];
    };
    EXPECT_NE(at(0, 3), 0) << "the state that predicted the first new token";
    EXPECT_EQ(at(0, 4), 0);
    EXPECT_EQ(trace.block("attention/0")->shape,
              (std::vector<std::int64_t>{trace.steps, 2, trace.positions, trace.positions}));
}

TEST_P(DecoderOnlyTrace, EditsForcePinAndBanBehindThePrefix) {
    using trace::EditKind;
    const trace::Trace parent = made();
    const Ids before = best_.ids;
    const std::int32_t other = before[4] == 11 ? 12 : 11;  // position 5, of step 2
    for (const EditKind kind : {EditKind::Force, EditKind::Pin}) {
        (void)made({{kind, 2, 5, false, other, "", {}}});
        EXPECT_TRUE(std::equal(before.begin(), before.begin() + 4, best_.ids.begin()));
        EXPECT_EQ(best_.ids[4], other);
    }
    (void)made({{EditKind::Ban, 2, 5, false, before[4], "", {}}});
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 4, best_.ids.begin()));
    EXPECT_NE(best_.ids[4], before[4]);
    EXPECT_EQ(made({{EditKind::Force, 2, 5, false, text::kEos, "", {}}}).steps, 3) << "ends there";
    EXPECT_EQ(code({EditKind::Force, 0, 2, false, other, "", {}}), "branch.position") << "given";
    EXPECT_EQ(code({EditKind::Force, 3, 5, false, other, "", {}}), "branch.position") << "generated before";
    EXPECT_EQ(code({EditKind::Pin, 0, 15, false, other, "", {}}), "branch.position") << "beyond the longest";
    EXPECT_EQ(code({EditKind::Pin, 0, 5, false, text::kMask, "", {}}), "branch.token");
}

INSTANTIATE_TEST_SUITE_P(Methods, DecoderOnlyTrace, ::testing::Values("beam", "sample"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DecoderOnlyErrors, NameTheirField) {
    const auto model = modelOf(configOf());
    const auto code = [&](const text::TextTemplate& known, const std::vector<Override>& settings = {}) {
        const auto made = model->generate(requestOf({known}), configOf(settings), nullptr);
        return made ? std::string("fine") : made.error().code;
    };
    EXPECT_EQ(code(prefixOf(Ids(13, kWord))), "fine");
    EXPECT_EQ(code(prefixOf(Ids(14, kWord))), "sample.too_long");
    EXPECT_EQ(code(prefixOf({kWord, text::kMask, kWord})), "prompt.unsupported");
    EXPECT_EQ(code({{text::kBos, kWord, text::kEos}, false}), "prompt.unsupported");
    EXPECT_EQ(code(prefixOf({}), {{"sampler.min_length", "14"}}), "fine");
    EXPECT_EQ(code(prefixOf({}), {{"sampler.min_length", "15"}}), "sample.min_length");
    train::LikelihoodRequest request;
    request.sources.resize(1);
    request.targets = {textOf(Ids(15, kWord))};
    EXPECT_EQ(model->likelihood()->score(request).error().code, "sample.too_long");
    const auto refused = findFamily("transformer")
                             ->create(configOf({{"model.hidden", "24"}, {"model.heads", "8"}}),
                                      {{25, 25, true, 16, false, text::kTrainedSpecials}, at::kCPU});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().field, "model.heads") << "rotary positions need even widths";
    // A table of positions is nothing that texts without a source need.
    EXPECT_TRUE(findFamily("transformer")
                    ->create(configOf({{"model.max_positions", "8"}}),
                             {{25, 25, true, 16, false, text::kTrainedSpecials}, at::kCPU}));
}

}  // namespace
}  // namespace kurve::models::transformer::texts
