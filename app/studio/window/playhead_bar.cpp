#include "app/studio/window/playhead_bar.h"

#include <QGridLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSlider>
#include <QToolTip>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/text/reserved_text.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr int kSliderSteps = 10000;

QLabel* caption(const QString& text) {
    return describe(new QLabel(text), {.role = "caption"});
}
}  // namespace

void MarkStrip::setMarks(std::vector<Mark> marks, qint64 last) {
    marks_ = std::move(marks);
    last_ = last;
    update();
}

QSize MarkStrip::sizeHint() const {
    return {px(100), px(9)};
}

double MarkStrip::xOf(qint64 step) const {
    const double handle = px(8);  // the slider's handle keeps half its width from both ends
    return handle + (width() - 2 * handle) * static_cast<double>(step) /
                        static_cast<double>(std::max<qint64>(last_, 1));
}

const MarkStrip::Mark* MarkStrip::near(double x) const {
    const Mark* best = nullptr;
    for (const Mark& mark : marks_)
        if (std::abs(xOf(mark.step) - x) <= px(5) &&
            (!best || std::abs(xOf(mark.step) - x) < std::abs(xOf(best->step) - x)))
            best = &mark;
    return best;
}

void MarkStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    for (const Mark& mark : marks_) {
        painter.setBrush(mark.alert ? theme().bad : theme().warn);
        const double x = xOf(mark.step), r = px(3.5), bottom = height();
        painter.drawPolygon(
            QPolygonF({QPointF(x - r, bottom - 2 * r), QPointF(x + r, bottom - 2 * r), QPointF(x, bottom)}));
    }
}

void MarkStrip::mousePressEvent(QMouseEvent* event) {
    if (const Mark* mark = near(event->position().x())) Q_EMIT chosen(mark->step);
}

bool MarkStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const Mark* mark = near(help->pos().x()))
            QToolTip::showText(help->globalPos(),
                               QStringLiteral("%1: %2").arg(countText(mark->step), mark->text), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

PlayheadBar::PlayheadBar(Playhead& playhead, Selection& selection, RunCatalog& catalog, QWidget* parent)
    : QWidget(parent),
      playhead_(playhead),
      selection_(selection),
      catalog_(catalog),
      train_(describe(new QSlider(Qt::Horizontal), "playhead.train", tr("Training step"))),
      denoise_(describe(new QSlider(Qt::Horizontal), "playhead.denoise", tr("Denoising step"))),
      trainText_(caption({})),
      denoiseText_(caption({})),
      marks_(new MarkStrip) {
    describe(this, "playhead", {.role = "footer", .filled = true});
    train_->setRange(0, kSliderSteps);
    trainText_->setObjectName(QStringLiteral("playhead.train_text"));
    trainText_->setMinimumWidth(px(112));
    denoiseText_->setMinimumWidth(px(64));
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(px(space::kMedium), px(2), px(space::kMedium), px(2));
    layout->setHorizontalSpacing(px(space::kSmall));
    layout->setVerticalSpacing(0);
    layout->addWidget(marks_, 0, 1);
    layout->addWidget(caption(tr("Training step")), 1, 0);
    layout->addWidget(train_, 1, 1);
    layout->addWidget(trainText_, 1, 2);
    layout->addWidget(caption(tr("Denoising step")), 1, 3);
    layout->addWidget(denoise_, 1, 4);
    layout->addWidget(denoiseText_, 1, 5);
    layout->setColumnStretch(1, 3);
    layout->setColumnStretch(4, 2);
    connect(train_, &QSlider::valueChanged, this, [this](int value) {
        playhead_.setTrainStep(
            std::llround(static_cast<double>(value) / kSliderSteps * static_cast<double>(last_)));
    });
    connect(denoise_, &QSlider::valueChanged, &playhead, &Playhead::setDenoiseStep);
    connect(marks_, &MarkStrip::chosen, &playhead, &Playhead::setTrainStep);
    connect(&playhead, &Playhead::trainStepChanged, this, &PlayheadBar::showTrainStep);
    connect(&playhead, &Playhead::denoiseStepChanged, this, &PlayheadBar::showDenoiseStep);
    connect(&playhead, &Playhead::denoiseStepsChanged, this, &PlayheadBar::showDenoiseStep);
    connect(&selection, &Selection::runsChanged, this, &PlayheadBar::takeRun);
    connect(&catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == run_) takeData();
    });
    run_ = selection.primaryRun();
    takeData();
    showDenoiseStep();
}

void PlayheadBar::takeRun() {
    if (run_ == selection_.primaryRun()) return takeData();
    run_ = selection_.primaryRun();
    playhead_.beginRun();
    takeData();
}

void PlayheadBar::takeData() {
    // Other panels watch the primary run; the bar only reads what the catalog has.
    const auto data = catalog_.data(run_);
    // A run is first shown at its end, and a playhead at the end of a live run stays there.
    const bool atEnd = (playhead_.trainStep() >= last_ && last_ > 0) || !playhead_.placed();
    std::vector<MarkStrip::Mark> marks;
    qint64 last = 0;
    if (data) {
        last = data->summary.step;
        for (const auto& [name, series] : data->series)
            if (series->size() > 0) last = std::max(last, static_cast<qint64>(series->step.back()));
        for (const auto& event : data->events) {
            if (event.kind == "checkpoint" || event.kind == "evaluated" || event.kind == "started" ||
                event.kind == "state")
                continue;
            const bool alert = event.kind == "non_finite" || event.kind == "collapse" ||
                               event.kind == "alert" || event.kind == "error";
            marks.push_back({event.step, QString::fromStdString(event.kind + ": " + event.text), alert});
        }
    }
    last_ = last;
    train_->setEnabled(last_ > 0);
    marks_->setMarks(std::move(marks), last_);
    // Until a run is read its steps are unknown: a step set meanwhile stays.
    if (data && (atEnd || playhead_.trainStep() > last_)) playhead_.carryTrainStep(last_);
    showTrainStep();
}

void PlayheadBar::showTrainStep() {
    const QSignalBlocker quiet(train_);
    const qint64 step = playhead_.trainStep();
    train_->setValue(last_ > 0 ? static_cast<int>(std::llround(static_cast<double>(std::min(step, last_)) /
                                                               static_cast<double>(last_) * kSliderSteps))
                               : 0);
    // For a live run the steps so far are no total, which is in the status line.
    setReservedText(*trainText_, last_ > 0 ? tr("step %1").arg(countText(step)) : tr("no run"));
    train_->setToolTip(last_ > 0 ? countedText(last_, tr("step")) : QString());
}

void PlayheadBar::showDenoiseStep() {
    const QSignalBlocker quiet(denoise_);
    const int steps = playhead_.denoiseSteps();
    denoise_->setEnabled(steps > 1);
    denoise_->setRange(0, std::max(steps - 1, 0));
    denoise_->setValue(playhead_.denoiseStep());
    denoiseText_->setText(steps > 0 ? QStringLiteral("%1 / %2").arg(playhead_.denoiseStep() + 1).arg(steps)
                                    : tr("no trace"));
}

}  // namespace kurve::studio
