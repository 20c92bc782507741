#include "app/studio/tour/tour_card.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr double kFrame = 3, kCardWidth = 330, kLeastCardWidth = 240, kGap = 14, kMargin = 8;

qint64 areaOf(const QRect& rect) {
    return qint64{rect.width()} * rect.height();
}
}  // namespace

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
        // Only the frame itself covers the panel: what is drawn inside is drawn without it.
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
      progress_(describe(new QLabel, {.role = "caption"})),
      headline_(describe(new QLabel, "tour.headline", {.role = "headline"})),
      sentence_(describe(new QLabel, "tour.sentence")),
      action_(makeButton({}, "action", "primary")),
      other_(makeButton({}, "other", "")),
      back_(makeButton(tr("Back"), "back", "quiet")),
      next_(makeButton(tr("Next"), "next", "")),
      close_(makeButton(tr("✕"), "leave", "quiet")) {
    describe(this, "tour", tr("Guided tour"), {.role = "card"});
    describe(close_, {}, tr("Close tour"), tr("Close tour (Esc); reopen it from the Help menu"));
    for (QLabel* label : {headline_, sentence_}) label->setWordWrap(true);
    auto* column = vboxIn(this, {hbox({{progress_, 1}, close_}), headline_, sentence_, Gap{space::kTight}},
                          {.margins = {space::kLarge, space::kSmall, space::kMedium, space::kMedium},
                           .spacing = space::kSmall});
    column->addLayout(wrapBox({action_, other_}));
    column->addLayout(hbox({Stretch{1}, back_, next_}, {.spacing = space::kSmall}));
    connect(action_, &QPushButton::clicked, this, &TourCard::acted);
    connect(other_, &QPushButton::clicked, this, &TourCard::otherActed);
    connect(back_, &QPushButton::clicked, this, &TourCard::backWanted);
    connect(next_, &QPushButton::clicked, this, &TourCard::nextWanted);
    connect(close_, &QPushButton::clicked, this, &TourCard::leave);
    connect(frame_, &TourFrame::moved, this, &TourCard::reposition);
    connect(frame_, &TourFrame::escaped, this, [this] {
        if (isVisible()) leave();
    });
    hide();
}

QPushButton* TourCard::makeButton(const QString& text, const char* id, const char* role) {
    return describe(new QPushButton(text, this), QLatin1String("tour.") + QLatin1String(id), {.role = role});
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

int TourCard::heightAt(int width) const {
    return layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : sizeHint().height();
}

QRect TourCard::sideOf(const QRect& target, const QRect& all) const {
    const int gap = px(kGap);
    QRect best;
    for (const QRect& side : {QRect(QPoint(target.right() + gap, all.top()), all.bottomRight()),
                              QRect(all.topLeft(), QPoint(target.left() - gap, all.bottom())),
                              QRect(QPoint(all.left(), target.bottom() + gap), all.bottomRight()),
                              QRect(all.topLeft(), QPoint(all.right(), target.top() - gap))}) {
        const int width = std::min(px(kCardWidth), side.width());
        const bool fits = width >= px(kLeastCardWidth) && heightAt(width) <= side.height();
        if (fits && areaOf(side) > areaOf(best)) best = side;
    }
    return best;
}

void TourCard::reposition() {
    if (!isVisible()) return;
    const int margin = px(kMargin);
    const QRect all = parentWidget()->rect().adjusted(margin, margin, -margin, -margin);
    const QRect target = frame_->targetRect();
    const QRect side = target.isEmpty() ? QRect() : sideOf(target, all);
    const QRect space = side.isEmpty() ? all : side;
    const int width = std::min(px(kCardWidth), space.width()), height = heightAt(width);
    const int left = std::max(space.left(), space.right() + 1 - width),
              top = std::max(space.top(), space.bottom() + 1 - height);  // of the lower right corner
    if (side.isEmpty()) {
        frame_->hide();
        setGeometry(apart_ ? all.left() : left, top, width, height);
    } else {  // as near as it can be to the upper left corner of the target
        setGeometry(std::clamp(target.left(), side.left(), left), std::clamp(target.top(), side.top(), top),
                    width, height);
    }
    raise();
}

}  // namespace kurve::studio
