#include "views/similarity/matrix_picture.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/common/format.h"
#include "views/states/similarity_overview.h"
#include "views/states/state_order.h"

namespace kurve::views {
namespace {

std::vector<int> orderOf(const metrics::SimilarityMatrix& matrix, RowOrder wanted) {
    if (wanted == RowOrder::Likeness) return metrics::likenessOrder(matrix);
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

const StateLayer& layerOf(const MatrixPlace& place) {
    return place.source->layers()[static_cast<std::size_t>(place.layer)];
}

/// The matrix compares layers instead of rows.
bool comparesLayers(const MatrixWish& wish) {
    return wish.kind == MatrixKind::LayerAlignment && !layerOf(wish.a).attention;
}

/// The rows that count: all, or those that no shown matrix found masked.
std::vector<int> comparedRows(const MatrixWish& wish, bool withB) {
    std::vector<int> rows(static_cast<std::size_t>(layerOf(wish.a).rows));
    std::iota(rows.begin(), rows.end(), 0);
    if (wish.masked == MaskedSlots::Shown) return rows;
    rows = wish.a.source->unmasked(wish.a.layer, wish.a.step);
    if (!withB) return rows;
    const auto others = wish.b->source->unmasked(wish.b->layer, wish.b->step);
    std::erase_if(rows, [&](int row) { return !std::binary_search(others.begin(), others.end(), row); });
    return rows;
}

/// Which row stands where: of the compared ones, and behind or between them those that are only grey.
std::vector<int> rowOrder(const MatrixWish& wish, const std::vector<int>& rows) {
    std::vector<int> order = rows;
    if (wish.order == RowOrder::Likeness) {
        const auto among = wish.a.source->matrix(wish.a.layer, wish.a.step, wish.kind, rows);
        order.clear();
        for (const int at : metrics::likenessOrder(among))
            order.push_back(rows[static_cast<std::size_t>(at)]);
    }
    if (wish.masked != MaskedSlots::Greyed) return order;
    for (int row = 0; row < layerOf(wish.a).rows; ++row)
        if (!std::binary_search(rows.begin(), rows.end(), row)) order.push_back(row);
    if (wish.order != RowOrder::Likeness) std::sort(order.begin(), order.end());
    return order;
}

/// These rows by their states in A; the groups are noted.
std::vector<int> grouped(const MatrixWish& wish, const std::vector<int>& rows, MatrixView::Content& content) {
    StateOrder order = stateOrder(wish.a.source->trace(), wish.a.step, rows);
    content.groups = std::move(order.groups);
    return std::move(order.slots);
}

/// Rows of A and of B that hold the same words.
struct CommonRows {
    std::vector<int> a, b;
};

/// The longest sequence of words that stands in both, of the rows that count.
CommonRows commonRows(const MatrixWish& wish) {
    const auto counting = [&](const MatrixPlace& place) {
        std::vector<int> rows(static_cast<std::size_t>(layerOf(place).rows));
        std::iota(rows.begin(), rows.end(), 0);
        return wish.masked == MaskedSlots::Shown ? rows : place.source->unmasked(place.layer, place.step);
    };
    const std::vector<int> a = counting(wish.a), b = counting(*wish.b);
    const QStringList ofA = rowNamesOf(wish.a, wish.kind).names, ofB = rowNamesOf(*wish.b, wish.kind).names;
    const auto same = [&](std::size_t i, std::size_t j) { return ofA.value(a[i]) == ofB.value(b[j]); };
    std::vector<int> longest((a.size() + 1) * (b.size() + 1), 0);  // of the rests from (i, j) on
    const auto rest = [&](std::size_t i, std::size_t j) -> int& { return longest[i * (b.size() + 1) + j]; };
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            rest(i, j) = same(i, j) ? rest(i + 1, j + 1) + 1 : std::max(rest(i + 1, j), rest(i, j + 1));
    CommonRows common;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (same(i, j)) {
            common.a.push_back(a[i++]);
            common.b.push_back(b[j++]);
        } else {
            ++(rest(i + 1, j) >= rest(i, j + 1) ? i : j);
        }
    }
    return common;
}

/// One prompt whose texts are of different lengths: what stands in both can be compared.
bool comparesWords(const MatrixWish& wish) {
    return wish.b && wish.mode != MatrixMode::A && !comparesLayers(wish) &&
           layerOf(wish.a).rows != layerOf(*wish.b).rows &&
           wish.a.source->trace().metaText("prompt") == wish.b->source->trace().metaText("prompt");
}

/// Fills matrices and order with the common words; false if there are fewer than two.
bool showCommonWords(const MatrixWish& wish, MatrixView::Content& content) {
    if (!comparesWords(wish)) return false;
    const CommonRows common = commonRows(wish);
    if (common.a.size() < 2) return false;
    const auto a = wish.a.source->matrix(wish.a.layer, wish.a.step, wish.kind, common.a),
               b = wish.b->source->matrix(wish.b->layer, wish.b->step, wish.kind, common.b);
    std::vector<int> order = orderOf(a, wish.order);
    if (wish.order == RowOrder::State) {
        order.clear();
        for (const int row : grouped(wish, common.a, content))
            order.push_back(
                static_cast<int>(std::lower_bound(common.a.begin(), common.a.end(), row) - common.a.begin()));
    }
    content.a = ordered(a, order);
    content.b = ordered(b, order);
    for (const int place : order) content.order.push_back(common.a[static_cast<std::size_t>(place)]);
    return true;
}

/// ", by state: 12 kept, 3 masked"; empty for the sentence's order.
QString orderText(const MatrixWish& wish, const MatrixView::Content& content) {
    if (wish.order == RowOrder::Likeness) return say(", by likeness");
    if (wish.order == RowOrder::Sentence || content.groups.empty()) return {};
    return (wish.b ? say(", by state of A: %1") : say(", by state: %1")).arg(groupsText(content.groups));
}

/// "Cosine, scale ±1, without masked slots"
QString measureText(const MatrixWish& wish, const MatrixView::Content& content) {
    const bool difference = wish.mode == MatrixMode::Difference && content.b.n > 0;
    QString text =
        layerOf(wish.a).attention ? wish.a.source->attentionName(wish.a.layer) : matrixKindName(wish.kind);
    text += say(", scale ±%1").arg(numberText(difference ? content.differenceScale : content.scale, 3));
    if (wish.masked != MaskedSlots::Shown && wish.a.source->anyMasked())
        text += say(", without masked slots");
    return text + orderText(wish, content);
}

}  // namespace

bool hasSlotStates(const MatrixPlace& place, MatrixKind kind) {
    const StateLayer& layer = layerOf(place);
    const bool layers = kind == MatrixKind::LayerAlignment && !layer.attention;
    return !layers && layer.rows == place.source->trace().slots;
}

MatrixPicture matrixPictureOf(const MatrixWish& asked) {
    MatrixWish wish = asked;
    if (wish.order == RowOrder::State && !hasSlotStates(wish.a, wish.kind)) wish.order = RowOrder::Sentence;
    MatrixPicture out;
    out.step = wish.a.step;
    MatrixView::Content& content = out.content;
    content.mode = wish.mode;
    const bool layers = comparesLayers(wish);
    const int size = layerOf(wish.a).rows;
    const bool sameSize = wish.b && layerOf(*wish.b).rows == size;
    const std::vector<int> rows = comparedRows(wish, sameSize);
    const auto matrixAt = [&](const MatrixPlace& place, const std::vector<int>& among) {
        const auto matrix = place.source->matrix(place.layer, place.step, wish.kind, among);
        return layers ? matrix : spread(matrix, among, layerOf(place).rows);
    };
    const bool common = showCommonWords(wish, content);
    if (!common) {
        const auto a = matrixAt(wish.a, rows);
        content.order = layers ? orderOf(a, wish.order) : rowOrder(wish, rows);
        if (wish.order == RowOrder::State) content.order = grouped(wish, content.order, content);
        content.a = ordered(a, content.order);
    }
    const bool unbounded = isUnbounded(layerOf(wish.a), wish.kind), fitted = wish.robust || unbounded;
    content.scale = fitted ? robustScale(content.a) : 1;
    QString beside;
    if (wish.b) {
        beside = QStringLiteral("   B: ") + wish.b->title();
        if (common) {
            beside += say("   (the %1 words that stand in both, of %2 and %3)")
                          .arg(content.a.n)
                          .arg(size)
                          .arg(layerOf(*wish.b).rows);
        } else if (const auto b = sameSize || layers ? matrixAt(*wish.b, rows) : metrics::SimilarityMatrix();
                   b.n == content.a.n) {
            content.b = ordered(b, content.order);
        } else {
            content.mode = MatrixMode::A;  // not A under the name of a difference
            beside +=
                say("   (another size: %1 and %2 rows; A is shown)").arg(size).arg(layerOf(*wish.b).rows);
        }
    } else if (wish.mode != MatrixMode::A) {
        beside = say("   B: nothing is pinned yet");
    }
    if (content.b.n > 0)
        content.differenceScale = fitted ? robustScale(differenceOf(content.a, content.b)) : 1;
    const RowNames names = rowNamesOf(wish.a, wish.kind);
    for (const int row : content.order) {
        content.labels << names.names.value(row);
        content.marked.push_back(names.repeated[static_cast<std::size_t>(row)]);
    }
    content.muteDiagonal = !layers;
    content.measure = measureText(wish, content);
    out.title = content.measure + QStringLiteral("   A: ") + wish.a.title() + beside;
    return out;
}

PairLines pairLinesOf(const PairWish& wish) {
    PairLines out;
    if (wish.source == nullptr) return out;
    const auto& layers = wish.source->layers();
    const int rows = layers[static_cast<std::size_t>(wish.layer)].rows;
    const auto compared = [&](int step) {
        if (wish.masked == MaskedSlots::Shown) return true;
        const auto kept = wish.source->unmasked(wish.layer, step);
        return std::binary_search(kept.begin(), kept.end(), wish.row) &&
               std::binary_search(kept.begin(), kept.end(), wish.column);
    };
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        if (layers[layer].attention || layers[layer].rows != rows) continue;
        out.layers << layers[layer].title;
        std::vector<double>& values = out.values.emplace_back();
        for (int step = 0; step < wish.source->steps(); ++step)
            values.push_back(compared(step)
                                 ? static_cast<double>(wish.source->pair(static_cast<int>(layer), step,
                                                                         wish.kind, wish.row, wish.column))
                                 : NAN);
    }
    return out;
}

}  // namespace kurve::views
