#include "core/train/parameter_groups.h"

#include <fnmatch.h>
#include <torch/torch.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/text.h"

namespace kurve::train {
namespace {

constexpr const char* kField = "train.parameter_groups";

Error refused(std::string what) {
    return requestError("train.parameter_groups", std::move(what))
        .at(kField)
        .fix("write it like \"encoder.*: lr 0.1, decay 0; embed*: frozen\"");
}

std::optional<double> factorIn(const std::vector<std::string>& words) {
    double factor = 0;
    if (words.size() != 2) return std::nullopt;
    const char* end = words[1].data() + words[1].size();
    const auto [stop, problem] = std::from_chars(words[1].data(), end, factor);
    if (problem != std::errc() || stop != end || !(factor >= 0 && factor <= 1e6)) return std::nullopt;
    return factor;
}

Result<ParameterGroup> groupOf(const std::string& text) {
    const std::size_t colon = text.find(':');
    ParameterGroup group;
    group.pattern = trim(text.substr(0, colon));
    if (colon == std::string::npos || group.pattern.empty()) return refused("“" + text + "” is no group");
    for (const std::string& setting : split(text.substr(colon + 1), ',')) {
        const auto words = splitWords(setting);
        const auto factor = factorIn(words);
        if (words == std::vector<std::string>{"frozen"})
            group.frozen = true;
        else if (factor && words[0] == "lr")
            group.learningRate = *factor;
        else if (factor && words[0] == "decay")
            group.decay = *factor;
        else
            return refused("“" + std::string(trim(setting)) + "” is none of lr FACTOR, decay FACTOR, frozen");
    }
    return group;
}

}  // namespace

bool ParameterGroup::matches(const std::string& parameter) const {
    return ::fnmatch(pattern.c_str(), parameter.c_str(), 0) == 0;
}

bool matchesAny(const std::string& patterns, const std::string& parameter) {
    const auto all = split(patterns, ',');
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
        return ParameterGroup{std::string(trim(one))}.matches(parameter);
    });
}

Result<std::vector<ParameterGroup>> parameterGroups(const RunConfig& config) {
    std::vector<ParameterGroup> groups;
    for (const std::string& text : split(config.text(kField), ';'))
        if (!trim(text).empty()) {
            KURVE_TRY(ParameterGroup group, groupOf(text));
            groups.push_back(std::move(group));
        }
    return groups;
}

Status freezeGroups(const RunConfig& config, torch::nn::Module& module) {
    KURVE_TRY(const auto groups, parameterGroups(config));
    if (groups.empty()) return {};
    std::vector<std::string> names;
    std::vector<bool> used(groups.size());
    bool trained = false;
    for (const auto& item : module.named_parameters()) {
        names.push_back(item.key());
        const auto own = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& group) { return group.matches(item.key()); });
        if (own != groups.end()) {
            used[static_cast<std::size_t>(own - groups.begin())] = true;
            if (own->frozen) item.value().requires_grad_(false);
        }
        trained = trained || item.value().requires_grad();
    }
    if (!trained) return refused("no parameter is left to train");
    const auto idle = std::find(used.begin(), used.end(), false);
    if (idle == used.end()) return {};
    const std::string& pattern = groups[static_cast<std::size_t>(idle - used.begin())].pattern;
    return refused("no parameter of the model belongs to “" + pattern + "”")
        .fix("its parameters are " + join(names, ", "));
}

}  // namespace kurve::train
