#include "views/autoencoder/reconstruction.h"

#include <algorithm>

#include "core/wire/fields.h"

namespace kurve::views {

namespace {

/// A space is visible alone, too.
QString shown(const std::string& token) {
    return QString::fromStdString(token).replace(QChar(0x2581), QChar(0x2423));
}

std::vector<float> floatsOf(const wire::Fields& fields, const char* key) {
    const std::vector<double> numbers = fields.numbers(key);
    return {numbers.begin(), numbers.end()};
}

ReconstructedChunk chunkIn(const wire::Fields& fields, int counted) {
    ReconstructedChunk chunk{
        {}, fields.number("sigma"), floatsOf(fields, "mean"), floatsOf(fields, "latent")};
    const std::vector<std::string> tokens = fields.texts("tokens"), decoded = fields.texts("decoded_tokens");
    const std::vector<double> ids = fields.numbers("ids"), decodedIds = fields.numbers("decoded_ids");
    const std::size_t count = std::min({tokens.size(), decoded.size(), ids.size(), decodedIds.size()});
    for (std::size_t i = 0; i < count; ++i)
        chunk.tokens.push_back(
            {shown(tokens[i]), shown(decoded[i]), static_cast<int>(i) < counted, ids[i] == decodedIds[i]});
    return chunk;
}

}  // namespace

std::vector<Reconstruction> reconstructionsIn(const nlohmann::json& body) {
    const wire::Fields fields(body);
    std::vector<Reconstruction> all;
    for (const nlohmann::json& text : fields.list("texts")) {
        const wire::Fields of(text);
        Reconstruction one{{}, of.integer("tokens", 0), of.integer("right", 0), {}};
        int left = one.tokens;
        for (const nlohmann::json& chunk : of.list("chunks")) {
            one.chunks.push_back(chunkIn(wire::Fields(chunk), left));
            left -= static_cast<int>(one.chunks.back().tokens.size());
        }
        all.push_back(std::move(one));
    }
    for (const nlohmann::json& step : fields.list("between")) {
        QString text;
        for (const std::string& token : wire::Fields(step).texts("tokens")) text += shown(token);
        if (!all.empty()) all.front().between << text;
    }
    return all;
}

bool isSpecialToken(const QString& token) {
    return token.size() > 2 && token.startsWith(QLatin1Char('<')) && token.endsWith(QLatin1Char('>'));
}

QString chunkText(const ReconstructedChunk& chunk, bool decoded) {
    QString text;
    for (const ReconstructedToken& token : chunk.tokens) text += decoded ? token.decoded : token.text;
    return text;
}

int rightTokens(const ReconstructedChunk& chunk) {
    return static_cast<int>(std::count_if(chunk.tokens.begin(), chunk.tokens.end(),
                                          [](const auto& token) { return token.counted && token.right; }));
}

int countedTokens(const ReconstructedChunk& chunk) {
    return static_cast<int>(std::count_if(chunk.tokens.begin(), chunk.tokens.end(),
                                          [](const auto& token) { return token.counted; }));
}

}  // namespace kurve::views
