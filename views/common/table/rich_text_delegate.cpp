#include "views/common/table/rich_text_delegate.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTableView>
#include <QTextDocument>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

void fillDocument(QTextDocument& document, const QStyleOptionViewItem& option, const QString& html,
                  int width) {
    document.setDocumentMargin(0);
    document.setDefaultFont(option.font);
    document.setTextWidth(std::max(width - px(16), px(40)));
    document.setHtml(html);
}

}  // namespace

void RichTextDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();
    plain.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
    QTextDocument document;
    fillDocument(document, option, index.data(role_).toString(), option.rect.width());
    painter->save();
    painter->translate(option.rect.left() + px(8), option.rect.top() + px(5));
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, theme().text);
    document.documentLayout()->draw(painter, context);
    painter->restore();
}

QSize RichTextDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    QTextDocument document;
    fillDocument(document, option, index.data(role_).toString(),
                 table ? table->columnWidth(index.column()) - (table->showGrid() ? 1 : 0) : px(240));
    return {px(120), static_cast<int>(document.size().height()) + px(10)};
}

}  // namespace kurve::views
