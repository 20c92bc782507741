// Experiment files: any text is a config or an error; a config's canonical text is the same config again.
#include <cstdlib>

#include "core/config/run_config.h"

namespace {

using namespace kurve;

Result<std::shared_ptr<const Schema>> lookUp(const std::string& family) {
    static const auto schema = [] {
        auto made = std::make_shared<Schema>();
        made->family = "sclm";
        made->fields = {integerField("model.hidden", 128, "width").range(8, 8192),
                        realField("train.lr", 5e-4, "learning rate").range(0, 1).changeableLive(),
                        flagField("train.ema", false, "average the weights"),
                        textField("data.train", "train.tsv", "file").reportingOnly(),
                        choiceField("map.kind", "spline", {"spline", "repeat", "band", "identity"}, "map")};
        made->presets = {{"tiny", "small", {{"model.hidden", std::int64_t{64}}}}};
        return made;
    }();
    if (family != "sclm") return requestError("config.unknown_family", "no such family");
    return std::shared_ptr<const Schema>(schema);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto config = RunConfig::parse(text, "fuzz.toml", lookUp);
    if (!config) {
        (void)config.error().text();
        return 0;
    }
    const auto again = RunConfig::parse(config->canonicalText(), "again.toml", lookUp);
    if (!again || again->contentHash() != config->contentHash() ||
        again->canonicalText() != config->canonicalText())
        std::abort();
    return 0;
}
