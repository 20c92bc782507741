#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kurve::metrics {

/// Similarity of the rows of a matrix of states.
enum class SimilarityMeasure : std::uint8_t {
    Cosine,         ///< <a, b> / (|a| |b|), -1..1; 0 for a zero row
    CentredCosine,  ///< the same after the mean row is subtracted
    Dot,            ///< <a, b>
};
[[nodiscard]] std::string similarityName(SimilarityMeasure measure);

/// n rows, row-major; of states as many columns, and symmetric.
struct SimilarityMatrix {
    int n = 0;
    std::vector<float> values;
    [[nodiscard]] int columns() const { return n > 0 ? static_cast<int>(values.size()) / n : 0; }
    [[nodiscard]] float at(int row, int column) const {
        return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns()) +
                      static_cast<std::size_t>(column)];
    }
};

/// `states`: n rows of the same width, row-major. Sums in float, as exact as a matrix product. Any thread.
[[nodiscard]] SimilarityMatrix similarity(std::span<const float> states, int n, SimilarityMeasure measure);

/// One value of that matrix, without the others.
[[nodiscard]] float similarityOf(std::span<const float> states, int n, std::pair<int, int> cell,
                                 SimilarityMeasure measure);

/// Linear centred kernel alignment between two sets of states of the same n things, 0..1 (Kornblith et al.
/// 2019, section 3); the widths may differ. NaN if one set does not vary.
[[nodiscard]] double centredKernelAlignment(std::span<const float> a, std::span<const float> b, int n);

/// Summary statistics of a matrix of states.
struct SimilaritySummary {
    double meanOffDiagonal = 0;  ///< of all pairs of different rows: anisotropy
    double adjacent = 0;         ///< of neighbouring rows
    /// exp of the entropy of the singular values' fractions (Roy and Vetterli 2007): 1 = all states on a
    /// line, n = as different as can be.
    double effectiveRank = 0;
};
/// `meanOffDiagonal` and `adjacent` by `measure`; the rank of the states themselves, centred for
/// CentredCosine.
[[nodiscard]] SimilaritySummary summarize(std::span<const float> states, int n, SimilarityMeasure measure);

/// An order that brings similar rows together: by the Fiedler vector of the similarity graph (weights:
/// similarity, negative ones as 0). For connected graphs; entries equal to six decimals keep their order.
[[nodiscard]] std::vector<int> seriation(const SimilarityMatrix& matrix);

}  // namespace kurve::metrics
