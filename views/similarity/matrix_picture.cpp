#include "views/similarity/matrix_picture.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/inspect/state_order.h"
#include "views/common/text/format.h"
#include "views/states/similarity_overview.h"

namespace kurve::views {
namespace {

std::vector<int> upTo(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<int> orderOf(const metrics::SimilarityMatrix& matrix, RowOrder rowOrder) {
    return rowOrder == RowOrder::Similarity ? metrics::seriation(matrix) : upTo(matrix.n);
}

QString translated(const char* text) {
    return QCoreApplication::translate("similarity", text);
}

QStringList texts(const std::vector<std::string>& all) {
    QStringList list;
    for (const std::string& one : all) list << QString::fromStdString(one);
    return list;
}

const inspect::StateLayer& layerOf(const inspect::MatrixCell& cell) {
    return cell.source->layers()[static_cast<std::size_t>(cell.layer)];
}

/// The matrix compares layers or steps instead of rows.
bool comparesOthers(const inspect::MatrixCell& cell, inspect::MatrixKind kind) {
    return !inspect::comparesRows(kind) && !layerOf(cell).attention;
}

struct RowNames {
    QStringList names;
    std::vector<bool> repeated;
};

RowNames rowNamesOf(const inspect::MatrixCell& cell, inspect::MatrixKind kind) {
    const inspect::StateSource& source = *cell.source;
    const auto& layers = source.layers();
    if (!comparesOthers(cell, kind))
        return {texts(source.labels(cell.layer, cell.step)), source.repeated(cell.layer, cell.step)};
    RowNames out;
    if (kind == inspect::MatrixKind::BetweenSteps)
        for (int step = 1; step <= source.steps(); ++step) out.names << translated("step %1").arg(step);
    else
        for (const int other : source.alignable(cell.layer))
            out.names << QString::fromStdString(layers[static_cast<std::size_t>(other)].title);
    out.repeated.resize(static_cast<std::size_t>(out.names.size()));
    return out;
}

/// The compared rows: all, or those that are not masked.
std::vector<int> comparedRows(const inspect::MatrixCell& cell, inspect::MaskedPositions masked) {
    return masked == inspect::MaskedPositions::Included ? upTo(layerOf(cell).rows)
                                                        : cell.source->unmasked(cell.layer, cell.step);
}

/// Order of the compared rows, and behind or between them the grey ones.
std::vector<int> rowOrder(const MatrixRequest& request, const std::vector<int>& rows) {
    std::vector<int> order = rows;
    if (request.order == RowOrder::Similarity) {
        const auto among = request.a.source->matrix(request.a.layer, request.a.step, request.kind, rows);
        order.clear();
        for (const int at : metrics::seriation(among)) order.push_back(rows[static_cast<std::size_t>(at)]);
    }
    if (request.masked != inspect::MaskedPositions::Grey) return order;
    for (int row = 0; row < layerOf(request.a).rows; ++row)
        if (!std::binary_search(rows.begin(), rows.end(), row)) order.push_back(row);
    if (request.order != RowOrder::Similarity) std::sort(order.begin(), order.end());
    return order;
}

/// These rows by their states in A; sets the groups.
std::vector<int> grouped(const MatrixRequest& request, const std::vector<int>& rows,
                         MatrixView::Content& content) {
    inspect::StateOrder order = inspect::stateOrder(request.a.source->trace(), request.a.step, rows);
    content.groups = std::move(order.groups);
    return std::move(order.positions);
}

/// Rows of A and of B with the same tokens.
struct CommonRows {
    std::vector<int> a, b;
};

/// The longest common subsequence of tokens, of the compared rows.
CommonRows commonRows(const MatrixRequest& request) {
    const std::vector<int> a = comparedRows(request.a, request.masked),
                           b = comparedRows(*request.b, request.masked);
    const QStringList ofA = rowNamesOf(request.a, request.kind).names,
                      ofB = rowNamesOf(*request.b, request.kind).names;
    const auto same = [&](std::size_t i, std::size_t j) { return ofA.value(a[i]) == ofB.value(b[j]); };
    std::vector<int> longest((a.size() + 1) * (b.size() + 1), 0);  // of the suffixes from (i, j) on
    const auto suffix = [&](std::size_t i, std::size_t j) -> int& { return longest[i * (b.size() + 1) + j]; };
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            suffix(i, j) =
                same(i, j) ? suffix(i + 1, j + 1) + 1 : std::max(suffix(i + 1, j), suffix(i, j + 1));
    CommonRows common;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (same(i, j)) {
            common.a.push_back(a[i++]);
            common.b.push_back(b[j++]);
        } else {
            ++(suffix(i + 1, j) >= suffix(i, j + 1) ? i : j);
        }
    }
    return common;
}

/// Rows have the names of tokens, not of control points or of a source whose tokens are not known.
bool namesTokens(const inspect::MatrixCell& cell) {
    return layerOf(cell).source ? std::ssize(cell.source->sourceTokens()) == layerOf(cell).rows
                                : cell.source->rowPerPosition(cell.layer);
}

/// Texts of one prompt with different lengths: compared on their common tokens.
bool comparesCommonTokens(const MatrixRequest& request) {
    return request.b && request.mode != MatrixMode::A && !comparesOthers(request.a, request.kind) &&
           !layerOf(request.a).crosses && !layerOf(*request.b).crosses && namesTokens(request.a) &&
           namesTokens(*request.b) && layerOf(request.a).rows != layerOf(*request.b).rows &&
           request.a.source->trace().metaText("prompt") == request.b->source->trace().metaText("prompt");
}

/// Fills matrices and order with the common tokens; false with fewer than two.
bool showCommonTokens(const MatrixRequest& request, MatrixView::Content& content) {
    if (!comparesCommonTokens(request)) return false;
    const CommonRows common = commonRows(request);
    if (common.a.size() < 2) return false;
    const auto a = request.a.source->matrix(request.a.layer, request.a.step, request.kind, common.a),
               b = request.b->source->matrix(request.b->layer, request.b->step, request.kind, common.b);
    std::vector<int> order = orderOf(a, request.order);
    if (request.order == RowOrder::State) {
        order.clear();
        for (const int row : grouped(request, common.a, content))
            order.push_back(
                static_cast<int>(std::lower_bound(common.a.begin(), common.a.end(), row) - common.a.begin()));
    }
    content.a = inspect::ordered(a, order);
    content.b = inspect::ordered(b, order);
    for (const int index : order) content.order.push_back(common.a[static_cast<std::size_t>(index)]);
    return true;
}

/// ", by state: 12 kept, 3 masked"; empty for sentence order.
QString orderText(const MatrixRequest& request, const MatrixView::Content& content) {
    if (request.order == RowOrder::Similarity) return translated(", by similarity");
    if (request.order == RowOrder::Sentence || content.groups.empty()) return {};
    return (request.b ? translated(", by state of A: %1") : translated(", by state: %1"))
        .arg(QString::fromStdString(inspect::groupsText(content.groups)));
}

/// "Cosine, scale ±1, without masked positions"
QString measureText(const MatrixRequest& request, const MatrixView::Content& content) {
    const bool difference = request.mode == MatrixMode::Difference && content.b.n > 0;
    QString text =
        QString::fromStdString(layerOf(request.a).attention ? request.a.source->attentionName(request.a.layer)
                                                            : inspect::matrixKindName(request.kind));
    text += (content.fractions && !difference ? translated(", scale 0 to %1") : translated(", scale ±%1"))
                .arg(numberText(difference ? content.differenceScale : content.scale, 3));
    if (request.masked != inspect::MaskedPositions::Included && request.a.source->anyMasked())
        text += translated(", without masked positions");
    return text + orderText(request, content);
}

/// "12", of attention to the other side "12 × 9".
QString sizeText(const inspect::StateLayer& layer) {
    return layer.crosses ? QStringLiteral("%1 × %2").arg(layer.rows).arg(layer.width)
                         : QString::number(layer.rows);
}

bool sameShape(const inspect::StateLayer& a, const inspect::StateLayer& b) {
    return a.rows == b.rows && a.crosses == b.crosses && (!a.crosses || a.width == b.width);
}

/// A, B where it has the size of A, and the order of the rows.
void showMatrices(const MatrixRequest& request, MatrixView::Content& content) {
    const bool others = comparesOthers(request.a, request.kind), crosses = layerOf(request.a).crosses;
    const bool sameSize = request.b && sameShape(layerOf(request.a), layerOf(*request.b));
    std::vector<int> rows = comparedRows(request.a, request.masked);
    const std::vector<int> ofB = request.b ? comparedRows(*request.b, request.masked) : std::vector<int>();
    if (sameSize)
        std::erase_if(rows, [&](int row) { return !std::binary_search(ofB.begin(), ofB.end(), row); });
    const auto matrixAt = [&](const inspect::MatrixCell& cell, const std::vector<int>& among) {
        const auto matrix = cell.source->matrix(cell.layer, cell.step, request.kind, among);
        return others ? matrix : inspect::expanded(matrix, among, layerOf(cell).rows);
    };
    const auto inOrder = [&](const metrics::SimilarityMatrix& matrix) {
        return crosses ? matrix : inspect::ordered(matrix, content.order);
    };
    const auto a = matrixAt(request.a, rows);
    content.order = others ? orderOf(a, request.order) : rowOrder(request, rows);
    if (request.order == RowOrder::State) content.order = grouped(request, content.order, content);
    content.a = inOrder(a);
    if (!sameSize && !(request.b && others)) return;
    // Of layers and of steps as many as A has, whatever the rows.
    const auto b = matrixAt(*request.b, sameSize ? rows : ofB);
    if (b.n == content.a.n && b.columns() == content.a.columns()) content.b = inOrder(b);
}

/// What the title says of B; `common`: compared on common tokens.
QString besideText(const MatrixRequest& request, const MatrixView::Content& content, bool common) {
    QString text = QStringLiteral("   B: ") + QString::fromStdString(request.b->title());
    if (common)
        text += translated("   (%1 common tokens of %2 and %3)")
                    .arg(content.a.n)
                    .arg(layerOf(request.a).rows)
                    .arg(layerOf(*request.b).rows);
    else if (content.b.n == 0)
        text += translated("   (different sizes: %1 and %2 rows; A is shown)")
                    .arg(sizeText(layerOf(request.a)), sizeText(layerOf(*request.b)));
    return text;
}

}  // namespace

bool hasTokenStates(const inspect::MatrixCell& cell, inspect::MatrixKind kind) {
    return !comparesOthers(cell, kind) && !layerOf(cell).crosses && cell.source->rowPerPosition(cell.layer);
}

MatrixPicture matrixPictureOf(const MatrixRequest& requested) {
    MatrixRequest request = requested;
    const inspect::StateLayer& layer = layerOf(request.a);
    const bool crosses = layer.crosses;
    if (crosses || (request.order == RowOrder::State && !hasTokenStates(request.a, request.kind)))
        request.order = RowOrder::Sentence;
    const bool halves = crosses && request.mode == MatrixMode::SplitTriangle;
    if (halves) request.mode = MatrixMode::A;
    MatrixPicture out;
    out.step = request.a.step;
    MatrixView::Content& content = out.content;
    const bool common = showCommonTokens(request, content);
    if (!common) showMatrices(request, content);
    content.mode = request.b && content.b.n == 0 ? MatrixMode::A : request.mode;  // A is not a difference
    const bool fitted = request.robust || isUnbounded(layer, request.kind);
    content.scale = fitted ? inspect::robustScale(content.a, !crosses) : 1;
    if (content.b.n > 0)
        content.differenceScale =
            fitted ? inspect::robustScale(inspect::differenceOf(content.a, content.b), !crosses) : 1;
    const RowNames names = rowNamesOf(request.a, request.kind);
    for (const int row : content.order) {
        content.labels << names.names.value(row);
        content.marked.push_back(names.repeated[static_cast<std::size_t>(row)]);
    }
    if (crosses)
        content.columnLabels = texts(request.a.source->columnLabels(request.a.layer, request.a.step));
    content.muteDiagonal = !comparesOthers(request.a, request.kind) && !crosses;
    content.fractions = layer.attention;
    content.measure = measureText(request, content);
    out.title = content.measure + QStringLiteral("   A: ") + QString::fromStdString(request.a.title());
    if (request.b) out.title += besideText(request, content, common);
    if (request.b && halves)
        out.title += translated("   (not two halves where one side reads the other; A is shown)");
    if (!request.b && requested.mode != MatrixMode::A) out.title += translated("   B: not pinned");
    return out;
}

PairLines pairLinesOf(const PairRequest& request) {
    PairLines out;
    if (request.source == nullptr) return out;
    const auto compared = [&](int step) {
        if (request.masked == inspect::MaskedPositions::Included) return true;
        const auto unmasked = request.source->unmasked(request.layer, step);
        return std::binary_search(unmasked.begin(), unmasked.end(), request.row) &&
               std::binary_search(unmasked.begin(), unmasked.end(), request.column);
    };
    for (const int layer : request.source->alignable(request.layer)) {
        out.layers << QString::fromStdString(request.source->layers()[static_cast<std::size_t>(layer)].title);
        std::vector<double>& values = out.values.emplace_back();
        for (int step = 0; step < request.source->steps(); ++step)
            values.push_back(compared(step) ? static_cast<double>(request.source->pair(
                                                  layer, step, request.kind, request.row, request.column))
                                            : NAN);
    }
    return out;
}

}  // namespace kurve::views
