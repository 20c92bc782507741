#include "app/studio/tour_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr double kFrame = 3, kCardWidth = 330, kGap = 14;
}

TourFrame::TourFrame(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setObjectName(QStringLiteral("tour.frame"));
    hide();
    window->installEventFilter(this);
}

void TourFrame::pointAt(QWidget* target) {
    if (target_) target_->removeEventFilter(this);
    target_ = target;
    if (target_) target_->installEventFilter(this);
    follow();
}

QRect TourFrame::targetRect() const {
    if (!target_ || !target_->isVisible() || target_->window() != window()) return {};
    return QRect(target_->mapTo(parentWidget(), QPoint()), target_->size());
}

void TourFrame::follow() {
    const QRect around = targetRect();
    setVisible(!around.isEmpty());
    if (!around.isEmpty()) {
        setGeometry(around);
        // Only the frame itself lies over the panel: what is drawn inside is drawn without it.
        const int wide = px(kFrame);
        setMask(QRegion(rect()) - QRegion(rect().adjusted(wide, wide, -wide, -wide)));
        raise();
    }
    Q_EMIT moved();
}

bool TourFrame::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::Move:
        case QEvent::Show:
        case QEvent::Hide:
        case QEvent::LayoutRequest:
            // The panel moves after its parents have laid out.
            if (target_) QMetaObject::invokeMethod(this, &TourFrame::follow, Qt::QueuedConnection);
            break;
        case QEvent::KeyPress:  // that nobody took on its way up to the window
            if (watched == parentWidget() && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape)
                Q_EMIT escaped();
            break;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
}

void TourFrame::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().accent);
}

TourCard::TourCard(QWidget* window)
    : QFrame(window),
      frame_(new TourFrame(window)),
      progress_(new QLabel),
      headline_(new QLabel),
      sentence_(new QLabel),
      action_(makeButton({}, "action", "primary")),
      other_(makeButton({}, "other", "")),
      back_(makeButton(tr("Back"), "back", "quiet")),
      next_(makeButton(tr("Next"), "next", "")),
      close_(makeButton(tr("✕"), "leave", "quiet")) {
    setObjectName(QStringLiteral("tour"));
    setAccessibleName(tr("Guided tour"));
    setProperty("role", "card");
    close_->setAccessibleName(tr("Leave the tour"));
    close_->setToolTip(tr("Leave the tour (Esc); it is in the Help menu"));
    progress_->setProperty("role", "caption");
    headline_->setProperty("role", "headline");
    headline_->setObjectName(QStringLiteral("tour.headline"));
    sentence_->setObjectName(QStringLiteral("tour.sentence"));
    for (QLabel* label : {headline_, sentence_}) label->setWordWrap(true);
    auto* top = new QHBoxLayout;
    top->addWidget(progress_, 1);
    top->addWidget(close_);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(px(space::kSmall));
    foot->addStretch(1);
    foot->addWidget(back_);
    foot->addWidget(next_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(space::kLarge), px(space::kSmall), px(space::kMedium), px(space::kMedium));
    column->setSpacing(px(space::kSmall));
    column->addLayout(top);
    column->addWidget(headline_);
    column->addWidget(sentence_);
    column->addSpacing(px(space::kTight));
    auto* actions = new WrapLayout;
    actions->addWidget(action_);
    actions->addWidget(other_);
    column->addLayout(actions);
    column->addLayout(foot);
    connect(action_, &QPushButton::clicked, this, &TourCard::acted);
    connect(other_, &QPushButton::clicked, this, &TourCard::otherActed);
    connect(back_, &QPushButton::clicked, this, &TourCard::backWanted);
    connect(next_, &QPushButton::clicked, this, &TourCard::nextWanted);
    connect(close_, &QPushButton::clicked, this, &TourCard::leave);
    connect(frame_, &TourFrame::moved, this, &TourCard::place);
    connect(frame_, &TourFrame::escaped, this, [this] {
        if (isVisible()) leave();
    });
    hide();
}

QPushButton* TourCard::makeButton(const QString& text, const char* id, const char* role) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QLatin1String("tour.") + QLatin1String(id));
    made->setProperty("role", role);
    return made;
}

void TourCard::showStop(const Text& text, int stop, int stops, QWidget* target) {
    apart_ = false;
    showText(text, tr("Tour, %1 of %2").arg(stop + 1).arg(stops));
    back_->setVisible(stop > 0);
    next_->setVisible(true);
    next_->setText(stop + 1 < stops ? tr("Next") : tr("Finish"));
    show();
    frame_->pointAt(target);
}

void TourCard::showText(const Text& text, const QString& heading) {
    progress_->setText(heading);
    headline_->setText(text.headline);
    sentence_->setText(text.sentence);
    action_->setText(text.action);
    other_->setText(text.other);
    other_->setVisible(!text.other.isEmpty());
}

void TourCard::showApart(const Text& text, const QString& heading, const QString& next) {
    apart_ = true;
    showText(text, heading);
    back_->hide();
    next_->setText(next);
    next_->setVisible(!next.isEmpty());
    show();
    frame_->pointAt(nullptr);
}

void TourCard::leave() {
    hide();
    frame_->pointAt(nullptr);
    Q_EMIT left();
}

/// Beside what it is about if there is room, else in its lower right corner.
void TourCard::place() {
    if (!isVisible()) return;
    const QRect room = parentWidget()->rect().adjusted(px(8), px(8), -px(8), -px(8));
    const int width = std::min(px(kCardWidth), room.width());
    const QSize size(
        width, layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : sizeHint().height());
    const QRect target = frame_->targetRect();
    QPoint at(apart_ ? room.left() : room.right() - size.width(), room.bottom() - size.height());
    if (!target.isEmpty()) {
        const int gap = px(kGap);
        if (target.right() + gap + size.width() <= room.right())
            at = {target.right() + gap, target.top() + gap};
        else if (target.left() - gap - size.width() >= room.left())
            at = {target.left() - gap - size.width(), target.top() + gap};
        else
            at = {target.right() - gap - size.width(), target.bottom() - gap - size.height()};
    }
    at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - size.width())));
    at.setY(std::clamp(at.y(), room.top(), std::max(room.top(), room.bottom() - size.height())));
    setGeometry(QRect(at, size));
    raise();
}

}  // namespace kurve::studio
