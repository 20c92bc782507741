#include <nlohmann/json.hpp>

#include "core/text/published/json_vocabulary.h"
#include "core/text/published/reading.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;

/// Files of before 2020 do not say it.
std::string modelType(const json& model) {
    if (const std::string type = typeOf(model); !type.empty()) return type;
    return model.contains("merges") ? "BPE" : model.contains("max_input_chars_per_word") ? "WordPiece" : "";
}

Result<PublishedTokenizer> readModel(const json& spec, const json& config, const std::string& bytes) {
    if (!spec.contains("model") && spec.contains("made_from"))
        return unsupportedPart("description", "a tokenizer that Kurve trained",
                               "tokenizer.json of Hugging Face; Kurve's own are read from the data");
    const json& model = spec.at("model");
    const std::string type = modelType(model);
    if (type == "BPE") return readByteBpe(spec, config, bytes);
    if (type == "WordPiece") return readWordPiece(spec, config, bytes);
    return unsupportedPart("model", type, "BPE over bytes, WordPiece");
}

}  // namespace

Result<PublishedTokenizer> readTokenizerJson(const std::filesystem::path& file) {
    KURVE_TRY(const std::string bytes, readTokenizerFile(file));
    KURVE_TRY(const json config, readTokenizerConfig(file));
    const json spec = json::parse(bytes, nullptr, false);
    if (!spec.is_object()) return damagedTokenizer("is no JSON object");
    try {
        return readModel(spec, config, bytes);
    } catch (const json::exception& problem) {  // a member that is missing or of another type
        return damagedTokenizer(problem.what());
    }
}

}  // namespace kurve::text::detail
