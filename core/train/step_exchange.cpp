#include "core/train/step_exchange.h"

#include <nlohmann/json.hpp>

#include "core/base/clock.h"

namespace kurve::train {
namespace {

using nlohmann::json;

// Beside the names of the parts.
constexpr const char *kLoss = "", *kSquare = "gradient";

json bytesOf(const at::Tensor& tensor, at::ScalarType type) {
    const at::Tensor host = tensor.to(at::kCPU, type).contiguous();
    const auto* first = static_cast<const std::uint8_t*>(host.const_data_ptr());
    return json::binary({first, first + host.nbytes()});
}

at::Tensor tensorOfJson(const json& bytes, at::ScalarType type) {
    auto& binary = const_cast<json::binary_t&>(bytes.get_binary());
    const auto count = static_cast<std::int64_t>(binary.size() / c10::elementSize(type));
    return at::from_blob(binary.data(), {count}, at::dtype(type)).clone();
}

std::string packed(const StepSums& sums, double computing, double waiting) {
    std::vector<std::string> names{kSquare};
    std::vector<at::Tensor> scalars{sums.gradientSquare.to(at::kDouble)};
    const auto add = [&](const std::string& name, const at::Tensor& value) {
        names.push_back(name);
        scalars.push_back(value.to(at::kDouble));
    };
    if (sums.loss.defined()) add(kLoss, sums.loss);
    for (const auto& [name, value] : sums.parts) add("_" + name, value);
    json rows = json::array();
    for (const auto& [part, of] : sums.rows)
        rows.push_back({part, bytesOf(of.logSnr, at::kFloat), bytesOf(of.loss, at::kFloat),
                        of.noiseStep.defined() ? bytesOf(of.noiseStep, at::kLong) : json()});
    const json message{names, bytesOf(at::stack(scalars), at::kDouble), rows, computing,
                       waiting};  // one sync
    const auto bytes = json::to_cbor(message);
    return {bytes.begin(), bytes.end()};
}

void addRows(const json& rows, StepSums& sums) {
    for (const json& row : rows) {
        PartRows& part = sums.rows[row.at(0).get<std::size_t>()];
        part = {tensorOfJson(row.at(1), at::kFloat), tensorOfJson(row.at(2), at::kFloat), {}};
        if (!row.at(3).is_null()) part.noiseStep = tensorOfJson(row.at(3), at::kLong);
    }
}

}  // namespace

void StepExchange::beginStep() {
    began_ = steadySeconds();
    (void)group_.takeWaiting();  // for the order to do this step: no part of it
}

void StepExchange::endComputing() {
    computed_ = steadySeconds();
}

void StepExchange::endStep() {
    waited_ = group_.takeWaiting();
}

void StepExchange::combine(StepSums& sums) {
    const auto messages = group_.allGather(packed(sums, computed_ - began_, waited_));
    // A rank without rows still lacks the device and type; what models give is in single precision.
    const auto options = sums.gradientSquare.options();
    sums.rows.clear();
    times_ = {};
    std::map<std::string, double> totals;
    for (const std::string& text : messages) {
        const json message = json::from_cbor(text);
        const at::Tensor values = tensorOfJson(message.at(1), at::kDouble);
        for (std::size_t i = 0; i < message.at(0).size(); ++i)
            totals[message.at(0)[i].get<std::string>()] += values.data_ptr<double>()[i];
        addRows(message.at(2), sums);
        times_.computing.push_back(message.at(3).get<double>());
        times_.waiting.push_back(message.at(4).get<double>());
    }
    sums.parts.clear();
    for (const auto& [name, total] : totals) {
        const at::Tensor value = at::scalar_tensor(total, at::kDouble).to(options);
        if (name == kLoss)
            sums.loss = value;
        else if (name == kSquare)
            sums.gradientSquare = value;
        else
            sums.parts[name.substr(1)] = value;
    }
}

}  // namespace kurve::train
