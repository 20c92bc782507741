#include "views/autoencoder/chunk_delegate.h"

#include <QPainter>
#include <algorithm>

#include "views/autoencoder/chunk_list_model.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kPad = 5, kTokenPad = 3, kGap = 3;

const ChunkListModel& modelOf(const QModelIndex& index) {
    return *static_cast<const ChunkListModel*>(index.model());
}

const ReconstructedChunk& chunkOf(const QModelIndex& index) {
    return modelOf(index).chunks()[static_cast<std::size_t>(index.row())];
}

int widthOf(const ReconstructedToken& token, const QFontMetrics& metrics) {
    return std::max(metrics.horizontalAdvance(token.text), metrics.horizontalAdvance(token.decoded)) +
           2 * px(kTokenPad);
}

QString sigmaText(const ReconstructedChunk& chunk) {
    return QStringLiteral("σ ") + numberText(chunk.sigma, 2);
}

QString endText(const QString& name) {
    return name.isEmpty() ? QString() : name + QStringLiteral(" · ");
}

void drawToken(QPainter& painter, const QRect& box, const QString& text, const QColor& colour,
               bool underlined) {
    QFont font = painter.font();
    font.setUnderline(underlined);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignCenter, text);
    font.setUnderline(false);
    painter.setFont(font);
}

void drawTokens(QPainter& painter, QRect line, const ReconstructedChunk& chunk, const QFontMetrics& metrics) {
    for (const ReconstructedToken& token : chunk.tokens) {
        line.setWidth(widthOf(token, metrics));
        const auto colour = [](const QString& text) {
            return isSpecialToken(text) ? theme().faint : theme().text;
        };
        const bool wrong = token.counted && !token.right;
        drawToken(painter, line, token.text, colour(token.text), false);
        const QRect below = line.translated(0, line.height());
        drawToken(painter, below, token.decoded, wrong ? theme().bad : colour(token.decoded), wrong);
        line.moveLeft(line.right() + 1);
    }
}

}  // namespace

void ChunkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const QRect cell = option.rect.adjusted(0, 0, -px(kGap), -px(kGap));
    const bool isEnd = !modelOf(index).endName(index.row()).isEmpty();
    const bool focused = option.state.testFlag(QStyle::State_HasFocus);
    const QFontMetrics metrics(option.font), small(smallFont());
    painter->save();
    painter->setPen(QPen(isEnd || focused ? theme().accent : theme().border, focused ? 2 : 1));
    painter->setBrush(isEnd ? theme().selection : theme().raised);
    painter->drawRoundedRect(QRectF(cell).adjusted(1, 1, -1, -1), px(3), px(3));
    painter->setFont(option.font);
    drawTokens(*painter, {cell.left() + px(kPad), cell.top() + px(kPad), 0, metrics.height()}, chunkOf(index),
               metrics);
    painter->setFont(smallFont());
    painter->setPen(theme().muted);
    painter->drawText(cell.adjusted(px(kPad), 0, -px(kPad), -px(kPad)), Qt::AlignHCenter | Qt::AlignBottom,
                      endText(modelOf(index).endName(index.row())) + sigmaText(chunkOf(index)));
    painter->restore();
}

QSize ChunkDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QFontMetrics metrics(option.font), small(smallFont());
    int tokens = 0;
    for (const ReconstructedToken& token : chunkOf(index).tokens) tokens += widthOf(token, metrics);
    // Room for the name of an end, so that choosing one moves no cell.
    const int caption = small.horizontalAdvance(endText(QStringLiteral("A")) + sigmaText(chunkOf(index)));
    return {std::max(tokens, caption) + 2 * px(kPad) + px(kGap),
            2 * metrics.height() + small.height() + 2 * px(kPad) + px(kGap)};
}

}  // namespace kurve::views
