#pragma once

#include <optional>

#include "views/similarity/matrix_view.h"
#include "views/states/similarity_model.h"

namespace kurve::views {

/// How rows and columns stand: as in the sentence, like ones together, or in groups by what happened to them
/// at A's step (stateOrder(); only where there is a row per slot).
enum class RowOrder : unsigned char { Sentence, Likeness, State };

/// What the large matrix is to show.
struct MatrixWish {
    MatrixPlace a;
    std::optional<MatrixPlace> b;  ///< pinned beside it
    MatrixKind kind = MatrixKind::Cosine;
    MatrixMode mode = MatrixMode::A;
    bool robust = false;  ///< scale to 98 % of the values
    RowOrder order = RowOrder::Sentence;
    MaskedSlots masked = MaskedSlots::Shown;  ///< of A, and of B at its step
};
struct MatrixPicture {
    MatrixView::Content content;
    QString title;
    int step = 0;  ///< of A
};
/// Whether the rows that this place compares have states to be grouped by.
[[nodiscard]] bool hasSlotStates(const MatrixPlace& place, MatrixKind kind);
/// Matrices, order, names and scale. Milliseconds to a second for long sentences: for a worker.
[[nodiscard]] MatrixPicture matrixPictureOf(const MatrixWish& wish);

/// One pair of rows to be followed through layers and steps.
struct PairWish {
    std::shared_ptr<const StateSource> source;  ///< null = none
    int layer = 0;                              ///< others with as many rows are compared as well
    MatrixKind kind = MatrixKind::Cosine;       ///< not LayerAlignment
    int row = 0, column = 0;
    MaskedSlots masked = MaskedSlots::Shown;  ///< else no value where one of the two was masked
    friend bool operator==(const PairWish&, const PairWish&) = default;
};
/// The pair's value at every step, by the layer's title.
struct PairLines {
    QStringList layers;
    std::vector<std::vector<double>> values;
};
[[nodiscard]] PairLines pairLinesOf(const PairWish& wish);

}  // namespace kurve::views
