#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace kurve::views {

/// A token of a chunk and what its place in the reconstruction holds.
struct ReconstructedToken {
    QString text, decoded;
    bool counted = true;  ///< false: filling behind the end of the text
    bool right = false;
};
struct ReconstructedChunk {
    std::vector<ReconstructedToken> tokens;  ///< K
    double sigma = 0;                        ///< mean over the vector
    std::vector<float> mean, latent;         ///< [l]; latent: with its noise
};
/// A text of the engine's `reconstructed` (core/train/chunk_reconstruction.h).
struct Reconstruction {
    std::vector<ReconstructedChunk> chunks;
    int tokens = 0, right = 0;
    QStringList between;  ///< the texts between two chunks, both ends included; empty: not asked for
};

/// Its texts; whatever is missing is empty. Any thread.
[[nodiscard]] std::vector<Reconstruction> reconstructionsIn(const nlohmann::json& body);

/// "</s>", "<pad>": no text.
[[nodiscard]] bool isSpecialToken(const QString& token);
/// The tokens of a chunk, or with `decoded` those of its reconstruction.
[[nodiscard]] QString chunkText(const ReconstructedChunk& chunk, bool decoded = false);
/// Of those that count.
[[nodiscard]] int rightTokens(const ReconstructedChunk& chunk);
[[nodiscard]] int countedTokens(const ReconstructedChunk& chunk);

}  // namespace kurve::views
