#include "app/studio/window/notice_list.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr std::size_t kMost = 4;
constexpr int kWidth = 340, kAboveStatus = 78;
}  // namespace

NoticeList::NoticeList(QWidget* window) : QFrame(window), layout_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("notices"));
    setProperty("role", "card");
    setAttribute(Qt::WA_StyledBackground);
    layout_->setContentsMargins(px(space::kMedium), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    layout_->setSpacing(px(space::kSmall));
    hide();
    window->installEventFilter(this);
}

void NoticeList::add(const QString& runId, const QString& title, const QString& text) {
    auto* row = new QWidget;
    auto* words =
        new QLabel(QStringLiteral("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped()));
    words->setObjectName(QStringLiteral("notices.text"));
    words->setWordWrap(true);
    auto* show = new QPushButton(tr("Show"));
    show->setObjectName(QStringLiteral("notices.show"));
    show->setAccessibleName(tr("Select the run %1").arg(title));
    show->setProperty("role", "quiet");
    show->setHidden(runId.isEmpty());
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setObjectName(QStringLiteral("notices.close"));
    close->setAccessibleName(tr("Dismiss"));
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(words, 1);
    line->addWidget(show);
    line->addWidget(close);
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
