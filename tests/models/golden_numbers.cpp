#include "tests/models/golden_numbers.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>
#include <map>

namespace kurve::models::testing {
namespace {

using nlohmann::json;

constexpr double kRelative = 1e-9;

void flatten(const json& values, std::vector<std::int64_t>& shape, std::vector<double>& flat,
             std::size_t depth = 0) {
    if (!values.is_array())
        return flat.push_back(values.is_boolean() ? values.get<bool>() : values.get<double>());
    if (shape.size() == depth) shape.push_back(static_cast<std::int64_t>(values.size()));
    for (const json& one : values) flatten(one, shape, flat, depth + 1);
}

}  // namespace

const json& goldenNetwork(const std::string& name) {
    static std::map<std::string, json> files;
    json& file = files[name];
    if (file.is_null()) file = json::parse(std::ifstream(KURVE_SOURCE_DIR "/tests/golden/networks/" + name));
    return file;
}

at::Tensor tensorOf(const json& values) {
    std::vector<std::int64_t> shape;
    std::vector<double> flat;
    flatten(values, shape, flat);
    return at::tensor(flat, at::kDouble).view(shape);
}

void expectClose(const at::Tensor& got, const json& wanted, const std::string& what) {
    const at::Tensor want = tensorOf(wanted);
    ASSERT_EQ(got.numel(), want.numel()) << what;
    const at::Tensor same = got.to(at::kDouble).reshape(want.sizes());
    EXPECT_TRUE(at::allclose(same, want, kRelative, kRelative))
        << what << " " << (same - want).abs().max().item<double>();
}

void expectGradient(const at::Tensor& gradient, const json& of, const std::string& name) {
    const auto element = at::arange(gradient.numel(), at::kDouble);
    expectClose(gradient.norm(), of.at("gradient_norms").at(name), name);
    expectClose((gradient.flatten() * (0.7 * element).cos()).sum(), of.at("gradient_probes").at(name),
                name + " probe");
}

}  // namespace kurve::models::testing
