#include "views/corpus/token_lookup.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/store/run_file.h"
#include "core/wire/fields.h"

namespace kurve::views {

namespace fs = std::filesystem;

int TokenizedText::unknown() const {
    return static_cast<int>(
        std::count_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.unknown; }));
}

TokenizedText tokenized(const text::Tokenizer& tokenizer, const QString& text) {
    TokenizedText out;
    for (const std::int32_t id : tokenizer.encode(text.toStdString()))
        out.tokens.push_back(
            {id, QString::fromStdString(text::shownToken(tokenizer, id)), id == tokenizer.special().unk});
    return out;
}

RunEmbeddings tableOfRun(const fs::path& runFolder) {
    RunEmbeddings out;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(runFolder / "checkpoints", problem)) {
        const auto named = store::RunFile::below(runFolder, entry.path());
        const bool whole = named && named->isIn(runFolder) &&
                           (fs::exists(entry.path() / "weights.safetensors", problem) ||
                            fs::exists(entry.path() / "ema.safetensors", problem));
        // Their names are the training steps, with leading zeros.
        if (whole && entry.path().filename() > out.checkpoint.filename()) out.checkpoint = entry.path();
    }
    if (out.checkpoint.empty()) return out;
    const auto text = readFile(out.checkpoint / "state.json");
    const auto state = nlohmann::json::parse(text.value_or(""), nullptr, false);
    out.tokenizer = QString::fromStdString(wire::Fields(state).text("tokenizer_hash"));
    return out;
}

Result<std::shared_ptr<const trace::Vocabulary>> embeddingsOf(const RunEmbeddings& run,
                                                              const fs::path& tokenizerFolder) {
    return trace::Vocabulary::ofCheckpoint(
        {{run.checkpoint / "weights.safetensors", run.checkpoint / "ema.safetensors"},
         tokenizerFolder / "vocab.tsv"});
}

std::vector<TokenNeighbour> neighboursOf(const trace::Vocabulary& table, int id, int count) {
    std::vector<TokenNeighbour> out;
    const int row = id < 0 ? -1 : table.rowOf(static_cast<std::uint32_t>(id));
    if (row < 0) return out;
    const auto point = table.table().row(row);
    const auto norms = table.table().squaredNorms();
    for (const curve::Nearest& near : table.table().nearest(point, count + 1)) {
        if (near.row == row || static_cast<int>(out.size()) == count) continue;
        const auto other = table.table().row(near.row);
        double dot = 0;
        for (std::size_t i = 0; i < other.size(); ++i) dot += static_cast<double>(point[i]) * other[i];
        const double lengths = std::sqrt(static_cast<double>(norms[static_cast<std::size_t>(row)]) *
                                         norms[static_cast<std::size_t>(near.row)]);
        const std::uint32_t neighbour = table.id(near.row);
        out.push_back({static_cast<int>(neighbour), QString::fromStdString(table.token(neighbour)),
                       static_cast<double>(near.distance), lengths > 0 ? dot / lengths : NAN});
    }
    return out;
}

}  // namespace kurve::views
