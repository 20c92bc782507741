#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/config/run_config.h"
#include "core/curve/spline.h"
#include "core/tensor/ops/banded_map.h"

namespace kurve::models {

/// Psi and Psi+ of one sentence length.
struct LengthMap {
    int words = 0, points = 0;
    curve::Matrix psi, inverse;     ///< [L, M], [M, L]
    std::vector<double> greville;   ///< u of each control point
    std::vector<double> positions;  ///< u of each word
};

/// The map of one sentence length by the fields map.*: a spline, or one of the controls.
[[nodiscard]] LengthMap lengthMap(const RunConfig& config, int words);
/// ||Psi+||_F^2 / M: how much Psi+ amplifies independent noise.
[[nodiscard]] double inputGain(const LengthMap& map);
/// Control points of a sentence of `words`, without computing its matrices.
[[nodiscard]] int pointsFor(const RunConfig& config, int words);

/// All maps of a model, computed once per length and kept on its device; batched over different lengths by
/// row numbers into common tables, so that a batch needs no loop over sentences. Not thread-safe.
class CurveMaps {
public:
    CurveMaps(RunConfig config, c10::Device device) : config_(std::move(config)), device_(device) {}

    struct Batch {
        std::vector<std::shared_ptr<const LengthMap>> maps;  ///< of every row
        std::vector<std::int32_t> points;                    ///< M of every row
        std::int64_t tokens = 0;                             ///< the largest
        tensor::BandedMap psi, inverse;                      ///< tokens -> words and words -> tokens
    };
    /// Only trained lengths count in worstInputGain(); with those of evaluations and samples it would
    /// depend on their number.
    [[nodiscard]] Batch batch(std::span<const std::int32_t> lengths, std::int64_t width, bool trained = true);
    [[nodiscard]] double worstInputGain() const { return worstGain_; }  ///< over the lengths trained so far
    void setWorstInputGain(double gain) { worstGain_ = gain; }          ///< when a training is resumed
    [[nodiscard]] c10::Device device() const { return device_; }

private:
    /// Rows of many matrices, appended as new lengths occur.
    struct Rows {
        std::vector<std::int32_t> first;
        std::vector<std::int64_t> begin{0};
        std::vector<float> weight;
        tensor::BandedRows onDevice;
        std::int64_t append(const curve::Matrix& matrix, bool transposed);
        void upload(c10::Device device);
    };
    enum Kind { kPsi, kPsiTransposed, kInverse, kInverseTransposed, kKinds };
    struct Entry {
        std::shared_ptr<const LengthMap> map;
        std::int64_t firstRow[kKinds] = {};
        double inputGain = 0;
    };
    void addLengths(std::span<const std::int32_t> lengths);

    RunConfig config_;
    c10::Device device_;
    std::vector<Entry> entries_;  ///< by length
    Rows rows_[kKinds];
    double worstGain_ = 0;
};

}  // namespace kurve::models
