#include "models/diffusia/initial_sources.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/train/common_fields.h"

namespace kurve::models::diffusia {
namespace {

using train::InitialSource;
using train::InitialSources;

constexpr std::string_view kLayer = "encoder_layer_";

/// What two layers of the same shapes can differ in. Those of another width do not fit anyway.
Status checkLayers(const RunConfig& own, const RunConfig& other) {
    if (own.integer("model.hidden") != other.integer("model.hidden")) return {};
    const std::int64_t heads = other.integer("model.heads");
    if (own.integer("model.heads") != heads)
        return requestError("model.heads", fmt::format("the layers of train.init_from have {} heads, here {}",
                                                       heads, own.integer("model.heads")))
            .at("model.heads")
            .fix(fmt::format("set model.heads to {}", heads));
    const std::string& activation = other.text("model.activation");
    if (activation != "gelu")
        return requestError("train.init_from",
                            fmt::format("its layers have the activation {}, here gelu", activation))
            .at(train::kInitFrom)
            .fix("name a BERT with \"hidden_act\": \"gelu\", or train.init_from_parameters without layers");
    return {};
}

InitialSources ofBert(const DiffusiaNetImpl& net, std::int64_t tokenTypes) {
    InitialSources sources;
    for (const auto& item : net.named_parameters()) {
        const std::string& name = item.key();
        if (name.starts_with(kLayer) && name.find(".cross") == name.npos)
            sources[name] = {"bert.layer_" + name.substr(kLayer.size())};
        else if (name == "condition_embedding.weight")
            sources[name] = {.name = "bert.words.weight", .ofTokens = true};
        else if (name == "condition_positions.weight" && tokenTypes > 0)
            sources[name] = {"bert.positions.weight", "bert.token_types.weight", tokenTypes};
        else if (name == "condition_positions.weight")
            sources[name] = {"bert.positions.weight"};
        else if (name.starts_with("condition_norm."))
            sources[name] = {"bert.embedding_norm" + name.substr(name.rfind('.'))};
    }
    return sources;
}

}  // namespace

Result<InitialSources> initialSources(const DiffusiaNetImpl& net, const RunConfig& own,
                                      const RunConfig& other) {
    if (other.family() == "sentence_encoder") {
        KURVE_CHECKED(checkLayers(own, other));
        return ofBert(net, other.integer("model.token_types"));
    }
    InitialSources sources;
    const NetSizes& sizes = net.sizes();
    if (other.family() == "mdlm" && !sizes.sharedEmbeddings && sizes.kind != NetworkKind::Diffuseq)
        sources["condition_embedding.weight"] = {.name = "embedding.weight", .ofTokens = true};
    return sources;
}

}  // namespace kurve::models::diffusia
