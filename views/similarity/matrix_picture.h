#pragma once

#include <optional>

#include "core/inspect/state_source.h"
#include "views/similarity/matrix_view.h"

namespace kurve::views {

/// Order of rows and columns: as in the sentence, by similarity (seriation), or in groups by their state at
/// A's step (stateOrder(); needs a row per position).
enum class RowOrder : unsigned char { Sentence, Similarity, State };

/// What the large matrix shows.
struct MatrixRequest {
    inspect::MatrixCell a;
    std::optional<inspect::MatrixCell> b;  ///< pinned
    inspect::MatrixKind kind = inspect::MatrixKind::Cosine;
    MatrixMode mode = MatrixMode::A;
    bool robust = false;  ///< scale to 98 % of the values
    RowOrder order = RowOrder::Sentence;
    inspect::MaskedPositions masked = inspect::MaskedPositions::Included;  ///< of A, and of B at its step
};
struct MatrixPicture {
    MatrixView::Content content;
    QString title;
    int step = 0;  ///< of A
};
/// Whether the rows of this matrix have states.
[[nodiscard]] bool hasTokenStates(const inspect::MatrixCell& cell, inspect::MatrixKind kind);
/// Matrices, order, names and scale. Milliseconds to a second for long sentences: for a worker.
[[nodiscard]] MatrixPicture matrixPictureOf(const MatrixRequest& request);

/// A pair of rows over layers and steps.
struct PairRequest {
    std::shared_ptr<const inspect::StateSource> source;      ///< null = none
    int layer = 0;                                           ///< and others with as many rows
    inspect::MatrixKind kind = inspect::MatrixKind::Cosine;  ///< one that comparesRows()
    int row = 0, column = 0;
    inspect::MaskedPositions masked =
        inspect::MaskedPositions::Included;  ///< else no value where a row was masked
    friend bool operator==(const PairRequest&, const PairRequest&) = default;
};
/// The pair's value at every step, by layer.
struct PairLines {
    QStringList layers;
    std::vector<std::vector<double>> values;
};
[[nodiscard]] PairLines pairLinesOf(const PairRequest& request);

}  // namespace kurve::views
