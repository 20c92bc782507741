#pragma once

#include <memory>
#include <string>

#include "core/config/run_config.h"
#include "core/train/model_family.h"
#include "models/common/quantizer.h"

namespace kurve::train {
class ReferencedRun;
}

namespace kurve::models::sentence_concept {

inline constexpr const char* kCodebooks = "concept.codebooks";

/// The codebooks of a Quant-LCM run (LCM, section 2.3.5), which are of the normalised vectors of another run
/// of this family. Frozen. Callable from any thread.
class Codebooks {
public:
    /// Null where the config names none. Errors: those of referencedRun(); concept.codebooks (a run without
    /// codebooks, or of vectors of another width).
    static Result<std::shared_ptr<const Codebooks>> of(const RunConfig& config,
                                                       const train::ModelContext& context,
                                                       std::int64_t width);

    /// Vectors [n, w] as sums of their first `books` [n] i64 centroids, of 1 to all.
    [[nodiscard]] at::Tensor quantized(const at::Tensor& vectors, const at::Tensor& books) const;
    /// The same number of all.
    [[nodiscard]] at::Tensor quantized(const at::Tensor& vectors, std::int64_t books) const;
    [[nodiscard]] std::int64_t books() const { return quantizer_->books(); }
    /// Whether vectors with this scaler are those that the codebooks are of; up to half precision.
    [[nodiscard]] bool areOf(const at::Tensor& center, const at::Tensor& scale) const;
    /// The run whose vectors they are of, as the Quant-LCM run names it.
    [[nodiscard]] const std::string& concepts() const { return concepts_; }

private:
    Codebooks(Quantizer quantizer, std::string concepts, std::int64_t width);
    Status read(const train::ReferencedRun& run, const train::ReferencedRun& concepts);

    Quantizer quantizer_;
    at::Tensor center_, scale_;  ///< [w], of the run concepts_
    std::string concepts_;
};

/// How many codebooks make up each of `rows` vectors in a step, [n] i64: all, or of the fraction
/// concept.truncated as many as are drawn from concept.least_books of them to all.
[[nodiscard]] at::Tensor drawnBooks(std::int64_t rows, std::int64_t books, const RunConfig& config,
                                    const train::StepRandom& random, c10::Device device);

}  // namespace kurve::models::sentence_concept
