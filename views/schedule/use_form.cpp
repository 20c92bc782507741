#include "views/schedule/use_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/number_control.h"
#include "views/common/form/saved_controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

using Kind = schedule::TimeDensity::Kind;

namespace {

// Low-discrepancy draws have the uniform density, and are named so that nobody looks for them in vain.
enum TimesRow { kUniform, kLowDiscrepancy, kLogitNormal, kDrawn };

QComboBox* combo(const char* id, const QString& name) {
    return describe(new QComboBox, id, name, name, {.letters = 8});
}

QLabel* label(const QString& text) {
    auto* made = new QLabel(text);
    made->setMinimumWidth(px(84));
    return made;
}

QLabel* heading(const QString& text) {
    return describe(new QLabel(text), {.role = "title"});
}

}  // namespace

UseForm::UseForm(QWidget* parent) : QWidget(parent), form_(new QFormLayout(this)) {
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setHorizontalSpacing(px(space::kSmall));
    form_->setVerticalSpacing(px(5));
    buildTraining(form_);
    buildSampling(form_);
    showParts();
}

void UseForm::buildTraining(QFormLayout* form) {
    times_ = combo("schedule.times", tr("Distribution of training times"));
    offerItems(*times_,
               {{"uniform", tr("uniform")},
                {"low_discrepancy", tr("low-discrepancy")},
                {"logit_normal", tr("logit-normal")},
                {"free", tr("custom")}},
               {});
    mean_ = new NumberControl(QStringLiteral("schedule.timesMean"), tr("Mean of logit t"), {-4, 4, 0.1, 3});
    deviation_ = new NumberControl(QStringLiteral("schedule.timesDeviation"),
                                   tr("Standard deviation of logit t"), {0.1, 4, 0.1, 3});
    deviation_->setValue(1);
    weight_ = combo("schedule.weight", tr("Weight of a level's |z0 − ẑ0|² in the loss"));
    for (const auto& weight : schedule::lossWeights())
        weight_->addItem(QStringLiteral("%1: %2").arg(QString::fromStdString(weight.title),
                                                      QString::fromStdString(weight.formula)),
                         QString::fromStdString(weight.id));
    weight_->addItem(tr("custom points"), QString::fromLatin1(schedule::kOwnWeight));
    weightPoints_ = describe(
        new QLineEdit(QString::fromStdString(schedule::weightPointsText(use_.weightPoints))),
        "schedule.weightPoints", tr("Weights by log-SNR"),
        tr("log-SNR=weight, in increasing order, e.g. -5=0.2,0=1,5=3 (Enter); ln w is linear between points. "
           "Drag them in the chart of p(log-SNR); Shift and double click adds or removes one"));
    limit_ = new NumberControl(QStringLiteral("schedule.weightLimit"), tr("γ of min-SNR"),
                               {0.1, 100, 0.1, 3, NumberControl::Scale::Logarithmic});
    limit_->setValue(use_.weightLimit);
    hold_ = combo("schedule.hold", tr("Kept fixed while p(log-SNR) is dragged"));
    hold_->addItem(tr("p(t): moves the curve"));
    hold_->addItem(tr("curve: moves p(t)"));
    form->addRow(heading(tr("Training")));
    form->addRow(label(tr("Times p(t)")), times_);
    form->addRow(label(tr("mean")), mean_);
    form->addRow(label(tr("std")), deviation_);
    form->addRow(label(tr("Weight w")), weight_);
    form->addRow(label(tr("γ")), limit_);
    form->addRow(label(tr("w by log-SNR")), weightPoints_);
    form->addRow(label(tr("Dragging p keeps")), hold_);
    connect(times_, &QComboBox::activated, this, &UseForm::takeTimes);
    for (NumberControl* control : {mean_, deviation_})
        connect(control, &NumberControl::valueChanged, this, &UseForm::takeTimes);
    connect(weight_, &QComboBox::currentIndexChanged, this, [this] {
        use_.weight = weight_->currentData().toString().toStdString();
        showParts();
        Q_EMIT changed();
    });
    connect(weightPoints_, &QLineEdit::editingFinished, this, &UseForm::takeWeightPoints);
    connect(limit_, &NumberControl::valueChanged, this, [this](double value) {
        use_.weightLimit = value;
        Q_EMIT changed();
    });
}

void UseForm::buildSampling(QFormLayout* form) {
    steps_ = new NumberControl(QStringLiteral("schedule.steps"), tr("Sampling steps"),
                               {1, 1000, 1, 0, NumberControl::Scale::Linear, 100});
    steps_->setValue(use_.steps);
    steps_->setToolTip(tr("Network calls per generation (ticks in the charts)"));
    spacing_ = combo("schedule.spacing", tr("Spacing of the sampling steps"));
    const QString spacings[] = {tr("even in t"), tr("even in log-SNR"), tr("Karras, ρ = 7")};
    for (std::size_t i = 0; i < kSpacingIds.size(); ++i) spacing_->addItem(spacings[i], kSpacingIds[i]);
    tokens_ = new NumberControl(QStringLiteral("schedule.tokens"), tr("Tokens of the sentence"),
                                {1, 512, 1, 0, NumberControl::Scale::Linear, 128});
    tokens_->setValue(use_.tokens);
    form->addRow(heading(tr("Sampling")));
    form->addRow(label(tr("Steps")), steps_);
    form->addRow(label(tr("Spacing")), spacing_);
    form->addRow(label(tr("Tokens")), tokens_);
    connect(steps_, &NumberControl::valueChanged, this, [this](double value) {
        use_.steps = static_cast<int>(value);
        Q_EMIT changed();
    });
    connect(tokens_, &NumberControl::valueChanged, this, [this](double value) {
        use_.tokens = static_cast<int>(value);
        Q_EMIT changed();
    });
    connect(spacing_, &QComboBox::currentIndexChanged, this, [this](int row) {
        use_.spacing = static_cast<schedule::Spacing>(row);
        Q_EMIT changed();
    });
}

schedule::Hold UseForm::hold() const {
    return hold_->currentIndex() == 0 ? schedule::Hold::Times : schedule::Hold::Levels;
}

schedule::TimeDensity UseForm::chosenTimes() const {
    const int row = times_->currentIndex();
    if (row == kLogitNormal) return {Kind::LogitNormal, mean_->value(), deviation_->value()};
    return {row == kDrawn ? Kind::Free : Kind::Uniform};
}

void UseForm::takeTimes() {
    if (filling_) return;
    schedule::TimeDensity times = chosenTimes();
    if (times.kind == Kind::Free) {  // lines through what is there now, ready to be dragged
        for (int i = 0; i <= 8; ++i)
            times.points.emplace_back(i / 8.0, std::max(0.01, use_.times.density(i / 8.0)));
        hold_->setCurrentIndex(1);
    }
    use_.times = times;
    showParts();
    Q_EMIT timesChanged(times.kind == Kind::LogitNormal ? QStringLiteral("p(t)") : QString());
}

void UseForm::takeWeightPoints() {
    auto points = schedule::parseWeightPoints(weightPoints_->text().toStdString());
    weightPoints_->setProperty("role", points ? QVariant() : QVariant(QStringLiteral("error")));
    if (!points) return Q_EMIT problem(QString::fromStdString(points.error().text()));
    if (*points == use_.weightPoints) return;
    use_.weightPoints = std::move(*points);
    Q_EMIT weightPointsChanged();
}

void UseForm::setWeightPoints(const schedule::WeightPoints& points) {
    if (points == use_.weightPoints) return;
    use_.weightPoints = points;
    weightPoints_->setText(QString::fromStdString(schedule::weightPointsText(points)));
}

QList<QWidget*> UseForm::controls() const {
    return {times_,        mean_->box(),  deviation_->box(), weight_,
            limit_->box(), steps_->box(), spacing_,          tokens_->box()};
}

QJsonObject UseForm::save() const {
    QJsonObject saved = saveControls(controls());
    saved.insert("times", qt(schedule::weightPointsText(use_.times.points)));
    saved.insert("weights", qt(schedule::weightPointsText(use_.weightPoints)));
    return saved;
}

void UseForm::restore(const QJsonObject& saved) {
    const QSignalBlocker quiet(this);
    const auto points = [&](const char* key) {
        return schedule::parseWeightPoints(saved.value(QLatin1String(key)).toString().toStdString());
    };
    restoreControls(controls(), saved);
    if (const auto weights = points("weights")) setWeightPoints(*weights);
    schedule::TimeDensity times = chosenTimes();
    if (const auto drawn = points("times"); times.kind == Kind::Free && drawn) times.points = *drawn;
    setTimes(times.kind == Kind::Free && times.points.size() < 2 ? schedule::TimeDensity() : times);
}

void UseForm::setTimes(const schedule::TimeDensity& times) {
    filling_ = true;
    use_.times = times;
    if (times.kind == Kind::LogitNormal) {
        mean_->setValue(times.mean);
        deviation_->setValue(times.standardDeviation);
    }
    const bool uniform = times.kind == Kind::Uniform && times_->currentIndex() <= kLowDiscrepancy;
    if (!uniform)
        times_->setCurrentIndex(times.kind == Kind::Free          ? kDrawn
                                : times.kind == Kind::LogitNormal ? kLogitNormal
                                                                  : kUniform);
    filling_ = false;
    showParts();
}

void UseForm::setDrawable(bool on) {
    hold_->setEnabled(on);
}

void UseForm::setMasking(bool on) {
    masking_ = on;
    showParts();
}

void UseForm::showParts() {
    for (QWidget* control : {mean_, deviation_})
        form_->setRowVisible(control, times_->currentIndex() == kLogitNormal);
    const bool own = use_.weight == schedule::kOwnWeight;
    form_->setRowVisible(limit_, !own && schedule::lossWeight(use_.weight).hasLimit);
    form_->setRowVisible(weightPoints_, own);
    form_->setRowVisible(tokens_, masking_);
}

}  // namespace kurve::views
