#include "app/studio/window/notice_list.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr std::size_t kMost = 4;
constexpr int kWidth = 340, kAboveStatus = 78;
}  // namespace

NoticeList::NoticeList(QWidget* window) : QFrame(window), layout_(new QVBoxLayout(this)) {
    describe(this, "notices", {.role = "card", .filled = true});
    layout_->setContentsMargins(px(space::kMedium), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    layout_->setSpacing(px(space::kSmall));
    hide();
    window->installEventFilter(this);
}

void NoticeList::add(const QString& runId, const QString& title, const QString& text) {
    auto* row = new QWidget;
    auto* words =
        new QLabel(QStringLiteral("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped()));
    describe(words, "notices.text", {.wraps = true});
    auto* show = describe(new QPushButton(tr("Show")), "notices.show", tr("Select the run %1").arg(title),
                          {.role = "quiet"});
    show->setHidden(runId.isEmpty());
    auto* close = describe(new QToolButton, "notices.close", tr("Dismiss"), {.text = QStringLiteral("×")});
    hboxIn(row, {{words, 1}, show, close}, {.margins = 0});
    connect(show, &QPushButton::clicked, this, [this, runId, row] {
        Q_EMIT runWanted(runId);
        dismiss(row);
    });
    connect(close, &QToolButton::clicked, this, [this, row] { dismiss(row); });
    layout_->addWidget(row);
    row->show();  // hidden widgets have no height in the layout
    rows_.push_back(row);
    while (rows_.size() > kMost) dismiss(rows_.front());
    show->setFocusPolicy(Qt::TabFocus);
    reposition();
}

void NoticeList::dismiss(QWidget* row) {
    rows_.erase(std::remove(rows_.begin(), rows_.end(), row), rows_.end());
    layout_->removeWidget(row);
    row->hide();
    row->deleteLater();
    reposition();
}

void NoticeList::reposition() {
    setVisible(!rows_.empty());
    if (rows_.empty()) return;
    setFixedWidth(std::min(px(kWidth), parentWidget()->width() - px(40)));
    layout_->activate();
    resize(width(),
           layout_->hasHeightForWidth() ? layout_->totalHeightForWidth(width()) : sizeHint().height());
    move(parentWidget()->width() - width() - px(space::kMedium),
         parentWidget()->height() - height() - px(kAboveStatus));
    raise();
}

bool NoticeList::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize) reposition();
    return QFrame::eventFilter(watched, event);
}

}  // namespace kurve::studio
