#include "models/mdlm/sampler_settings.h"

#include <map>

namespace kurve::models::mdlm {
namespace {

using sampling::RemaskingSchedule;
using sampling::UnmaskingOrder;

const std::map<std::string, UnmaskingRule> kRules = {{"ancestral", UnmaskingRule::Ancestral},
                                                     {"budget", UnmaskingRule::Budget},
                                                     {"threshold", UnmaskingRule::Threshold},
                                                     {"entropy-bounded", UnmaskingRule::EntropyBounded}};
const std::map<std::string, UnmaskingOrder> kOrders = {{"confidence", UnmaskingOrder::Confidence},
                                                       {"margin", UnmaskingOrder::Margin},
                                                       {"entropy", UnmaskingOrder::Entropy},
                                                       {"random", UnmaskingOrder::Random}};
const std::map<std::string, RemaskingSchedule> kRemasking = {{"none", RemaskingSchedule::None},
                                                             {"cap", RemaskingSchedule::Cap},
                                                             {"rescale", RemaskingSchedule::Rescale},
                                                             {"confidence", RemaskingSchedule::Confidence},
                                                             {"loop", RemaskingSchedule::Loop}};

}  // namespace

SamplerSettings::SamplerSettings(const RunConfig& config)
    : steps(static_cast<int>(config.integer("sampler.steps"))),
      block(static_cast<int>(config.integer("sampler.block"))),
      rule(kRules.at(config.text("sampler.rule"))),
      order(kOrders.at(config.text("sampler.order"))),
      threshold(config.real("sampler.threshold")),
      gamma(config.real("sampler.gamma")),
      temperature(config.real("sampler.temperature")),
      topP(config.real("sampler.top_p")),
      float32(config.text("sampler.precision") == "float32"),
      banSpecials(config.flag("sampler.ban_specials")),
      length(config.integer("sampler.length")),
      batchSize(static_cast<std::size_t>(config.integer("sampler.batch_size"))) {
    remasking.schedule = kRemasking.at(config.text("sampler.remasking"));
    remasking.eta = config.real("sampler.eta");
    // A threshold needs a certainty.
    if (rule == UnmaskingRule::Threshold && order == UnmaskingOrder::Random)
        order = UnmaskingOrder::Confidence;
    if (rule == UnmaskingRule::EntropyBounded) order = UnmaskingOrder::Entropy;
}

Status checkSampler(const RunConfig& config) {
    if (config.text("sampler.remasking") == "none") return {};
    const auto refuse = [](const char* what, const char* remedy) {
        return requestError("sampler.remasking", what).at("sampler.remasking").fix(remedy);
    };
    if (config.text("sampler.rule") != "ancestral")
        return refuse("only the rule ancestral masks tokens again",
                      "set sampler.rule to \"ancestral\", or sampler.remasking to \"none\"");
    if (config.integer("sampler.block") > 0)
        return refuse("block-wise, no token is masked again",
                      "set sampler.block to 0, or sampler.remasking to \"none\"");
    return {};
}

}  // namespace kurve::models::mdlm
