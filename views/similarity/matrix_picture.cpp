#include "views/similarity/matrix_picture.h"

#include <QCoreApplication>
#include <numeric>

namespace kurve::views {
namespace {

std::vector<int> orderOf(const metrics::SimilarityMatrix& matrix, bool likeness) {
    if (likeness) return metrics::likenessOrder(matrix);
    std::vector<int> order(static_cast<std::size_t>(matrix.n));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

QString say(const char* text) {
    return QCoreApplication::translate("similarity", text);
}

struct RowNames {
    QStringList names;
    std::vector<bool> repeated;
};

RowNames rowNamesOf(const MatrixPlace& place, MatrixKind kind) {
    const StateSource& source = *place.source;
    const auto& layers = source.layers();
    if (kind != MatrixKind::LayerAlignment || layers[static_cast<std::size_t>(place.layer)].attention)
        return {source.labels(place.layer, place.step), source.repeated(place.layer, place.step)};
    RowNames out;
    for (const int other : source.alignable(place.layer))
        out.names << layers[static_cast<std::size_t>(other)].title;
    out.repeated.resize(static_cast<std::size_t>(out.names.size()));
    return out;
}

}  // namespace

MatrixPicture matrixPictureOf(const MatrixWish& wish) {
    const auto matrixAt = [&](const MatrixPlace& place) {
        return place.source->matrix(place.layer, place.step, wish.kind);
    };
    MatrixPicture out;
    out.step = wish.a.step;
    MatrixView::Content& content = out.content;
    content.mode = wish.mode;
    const auto a = matrixAt(wish.a);
    content.order = orderOf(a, wish.likeness);
    content.a = ordered(a, content.order);
    out.title = QStringLiteral("A: ") + wish.a.title();
    if (wish.b) {
        const auto b = matrixAt(*wish.b);
        if (b.n == a.n) content.b = ordered(b, content.order);
        out.title += QStringLiteral("   B: ") + wish.b->title();
        if (b.n != a.n) out.title += say("   (another size: %1 and %2 rows)").arg(a.n).arg(b.n);
    } else if (wish.mode != MatrixMode::A) {
        out.title += say("   B: nothing is pinned yet");
    }
    const RowNames names = rowNamesOf(wish.a, wish.kind);
    for (const int row : content.order) {
        content.labels << names.names.value(row);
        content.marked.push_back(names.repeated[static_cast<std::size_t>(row)]);
    }
    const bool unbounded = wish.kind == MatrixKind::Dot ||
                           wish.a.source->layers()[static_cast<std::size_t>(wish.a.layer)].attention;
    const bool fitted = wish.robust || unbounded;
    content.scale = fitted ? robustScale(content.a) : 1;
    if (content.b.n > 0)
        content.differenceScale = fitted ? robustScale(differenceOf(content.a, content.b)) : 1;
    content.muteDiagonal = wish.kind != MatrixKind::LayerAlignment;
    return out;
}

PairLines pairLinesOf(const PairWish& wish) {
    PairLines out;
    if (wish.source == nullptr) return out;
    const auto& layers = wish.source->layers();
    const int rows = layers[static_cast<std::size_t>(wish.layer)].rows;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        if (layers[layer].attention || layers[layer].rows != rows) continue;
        out.layers << layers[layer].title;
        std::vector<double>& values = out.values.emplace_back();
        for (int step = 0; step < wish.source->steps(); ++step)
            values.push_back(
                wish.source->pair(static_cast<int>(layer), step, wish.kind, wish.row, wish.column));
    }
    return out;
}

}  // namespace kurve::views
