#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/similarity.h"
#include "core/trace/trace.h"

namespace kurve::inspect {

/// The comparison of a matrix: states of one step by a measure, layers by CKA, steps by the mean cosine of a
/// row's states; or recorded attention as it is.
enum class MatrixKind : unsigned char { Cosine, CentredCosine, Dot, LayerAlignment, BetweenSteps };
/// The rows of such a matrix are those of the states, not layers or steps.
[[nodiscard]] bool comparesRows(MatrixKind kind);

/// "Cosine", "CKA between layers", …
[[nodiscard]] std::string matrixKindName(MatrixKind kind);

/// Treatment of positions that the model found masked: they are all similar and raise every mean.
enum class MaskedPositions : unsigned char { Included, Grey, Excluded };

/// One set of states of a trace: "hidden/2" is shown as "layer 2", "latent" as "estimate", "condition/2" as
/// "source layer 1", "cross_attention/2" as "text reads source 2".
struct StateLayer {
    std::string block, title;
    int rows = 0, width = 0;
    bool attention = false;  ///< the block holds weights [heads, rows, width], not states
    int heads = 0;           ///< of attention
    bool source = false;     ///< a row per token of the source, not of the text
    bool crosses = false;    ///< attention whose columns are the other side's
};

/// The states of one trace, read through its blocks: of any family. Immutable.
class StateSource {
public:
    /// `head`: the attention head (from 0); -1, or one that a layer does not have = the mean of the heads.
    StateSource(std::shared_ptr<const trace::Trace> trace, std::string title, int head = -1);
    [[nodiscard]] const std::vector<StateLayer>& layers() const { return layers_; }
    [[nodiscard]] int steps() const { return trace_->steps; }
    [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
    [[nodiscard]] const std::string& title() const { return title_; }
    [[nodiscard]] bool hasHidden() const;
    /// The most attention heads that a layer has; 0 without attention.
    [[nodiscard]] int heads() const;
    /// "Attention, mean of the heads", "Attention, head 2"
    [[nodiscard]] std::string attentionName(int layer) const;
    /// Whether a layer has a row per position of the text.
    [[nodiscard]] bool rowPerPosition(int layer) const;
    /// Row names: the tokens at that step where there is a row per position, else the control points c1 … cM;
    /// of the source its tokens, or s1 … where the trace does not name them.
    [[nodiscard]] std::vector<std::string> labels(int layer, int step) const;
    /// The same of the columns.
    [[nodiscard]] std::vector<std::string> columnLabels(int layer, int step) const;
    /// The source's tokens as they are shown; empty where the trace does not name them.
    [[nodiscard]] const std::vector<std::string>& sourceTokens() const { return sourceTokens_; }
    /// Rows whose token also occurs elsewhere in the sentence at that step.
    [[nodiscard]] std::vector<bool> repeated(int layer, int step) const;
    [[nodiscard]] std::span<const float> states(int layer, int step) const;
    /// Whether any position was found masked at any step (trace::foundMasked()).
    [[nodiscard]] bool anyMasked() const { return anyMasked_; }
    /// The rows of a layer that were no masks at that step; all where there is no row per position, and where
    /// it reads the other side.
    [[nodiscard]] std::vector<int> unmasked(int layer, int step) const;
    /// `rows` without the padding of that step; all where there is no row per position.
    [[nodiscard]] std::vector<int> withoutPadding(int layer, int step, std::vector<int> rows) const;
    /// The states of some rows alone.
    [[nodiscard]] std::vector<float> statesOf(int layer, int step, const std::vector<int>& rows) const;
    /// The matrix of one layer and step; for LayerAlignment that of all state layers with as many rows, for
    /// BetweenSteps the same at every step. Neither counts padding, BetweenSteps that of the last step.
    [[nodiscard]] metrics::SimilarityMatrix matrix(int layer, int step, MatrixKind kind) const;
    /// The same among some rows only: means are theirs alone.
    [[nodiscard]] metrics::SimilarityMatrix matrix(int layer, int step, MatrixKind kind,
                                                   const std::vector<int>& rows) const;
    /// One cell of that matrix without the others; only where comparesRows().
    [[nodiscard]] float pair(int layer, int step, MatrixKind kind, int row, int column) const;
    /// The layers that LayerAlignment compares with this one; of attention across those that read alike.
    [[nodiscard]] std::vector<int> alignable(int layer) const;

private:
    [[nodiscard]] std::vector<std::string> sideLabels(bool source, int count, int step) const;
    [[nodiscard]] metrics::SimilarityMatrix attention(int layer, int step) const;
    [[nodiscard]] metrics::SimilarityMatrix betweenLayers(int layer, int step,
                                                          const std::vector<int>& rows) const;
    [[nodiscard]] metrics::SimilarityMatrix betweenSteps(int layer, const std::vector<int>& rows) const;
    std::shared_ptr<const trace::Trace> trace_;
    std::string title_;
    std::vector<StateLayer> layers_;
    std::vector<std::string> sourceTokens_;
    bool anyMasked_ = false;
    int head_ = -1;
};

/// A picture of one matrix: which source, layer and step.
struct MatrixCell {
    std::shared_ptr<const StateSource> source;
    int layer = 0, step = 0;
    /// "restore-sclm · layer 2 · step 4"
    [[nodiscard]] std::string title() const;
};

/// Estimated size of captured layers and attention of a trace's prompt, from its run's settings as TOML (2
/// bytes a value); 0 without width and depth.
[[nodiscard]] double captureBytes(const trace::Trace& trace, const std::string& config);

/// The values of a - b; empty if the sizes differ.
[[nodiscard]] metrics::SimilarityMatrix differenceOf(const metrics::SimilarityMatrix& a,
                                                     const metrics::SimilarityMatrix& b);
/// A matrix among some rows put into the larger one of all n rows; NaN elsewhere.
[[nodiscard]] metrics::SimilarityMatrix expanded(const metrics::SimilarityMatrix& matrix,
                                                 const std::vector<int>& rows, int n);
/// Half of a symmetric scale that holds 98 % of the values, of states of those off the diagonal; 1 if there
/// is nothing to scale.
[[nodiscard]] double robustScale(const metrics::SimilarityMatrix& matrix, bool ofStates = true);
/// Rows and columns in another order.
[[nodiscard]] metrics::SimilarityMatrix ordered(const metrics::SimilarityMatrix& matrix,
                                                const std::vector<int>& order);

}  // namespace kurve::inspect
