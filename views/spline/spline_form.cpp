#include "views/spline/spline_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/number_control.h"
#include "views/common/form/saved_controls.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QComboBox* choice(const char* id, const QString& name, const BoxChoices& items) {
    auto* box = describe(new QComboBox, id, name, {.letters = 8});
    offerItems(*box, items, {});
    return box;
}

NumberControl* number(const char* id, const QString& name, const NumberControl::Range& range, double value) {
    auto* control = new NumberControl(QLatin1String(id), name, range);
    control->setValue(value);
    return control;
}

}  // namespace

SplineForm::SplineForm(QWidget* parent)
    : QWidget(parent),
      rows_(new QFormLayout),
      presets_(choice("spline.preset", tr("Example settings"), {{QString(), tr("choose…")}})),
      pointsBy_(choice("spline.pointsBy", tr("Rule for the number of control points"),
                       {{"density", tr("points per word ρ")}, {"count", tr("number M")}})),
      degreeBy_(choice("spline.degreeBy", tr("Rule for the degree"),
                       {{"fraction", tr("fraction κ of M")}, {"fixed", tr("fixed k")}})),
      knots_(
          choice("spline.knots", tr("Knots"), {{"clamped", tr("clamped")}, {"unclamped", tr("unclamped")}})),
      words_(number("spline.words", tr("Words L"), {1, 200, 1, 0, NumberControl::Scale::Linear, 100}, 25)),
      rho_(number("spline.rho", tr("Control points per word"),
                  {0.1, 8, 0.1, 3, NumberControl::Scale::Linear, 5}, 2)),
      points_(number("spline.controlPoints", tr("Control points M"),
                     {1, 800, 1, 0, NumberControl::Scale::Linear, 200}, 50)),
      kappa_(number("spline.kappa", tr("Degree as a fraction of M"),
                    {0, 1, 0.01, 3, NumberControl::Scale::FineNearZero}, 0.01)),
      degree_(number("spline.degree", tr("Degree k"), {1, 60, 1, 0, NumberControl::Scale::Linear, 20}, 3)),
      margin_(number("spline.margin", tr("Margin"),
                     {0, 0.49, 0.01, 4, NumberControl::Scale::FineNearZero, 0.2}, 0.01)),
      ridge_(number("spline.ridge", tr("Ridge"), {0, 1, 0.01, 6, NumberControl::Scale::FineNearZero}, 0)),
      adaptive_(new QCheckBox(tr("at most half a word"))),
      error_(describe(new QLabel, "spline.error", {.role = "error", .wraps = true, .hidden = true})) {
    setObjectName(QStringLiteral("spline.form"));
    for (const curve::SplinePreset& preset : curve::splinePresets()) presets_->addItem(tr(preset.name));
    describe(adaptive_, "spline.adaptiveMargin", tr("Margin at most half a word"));

    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setHorizontalSpacing(px(space::kSmall));
    rows_->setVerticalSpacing(px(5));
    rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addRow(tr("Example"), presets_, tr("Settings of the paper's Table 3 and limiting cases"));
    addRow(tr("Words L"), words_, tr("length of the sentence"));
    addRow(tr("Points by"), pointsBy_,
           tr("number of control points M: by length, or fixed (SCLM, App. B.2)"));
    addRow(tr("ρ"), rho_, tr("control points per word: M = max(3, ⌊ρL + ½⌋)"));
    addRow(tr("M"), points_, tr("number of control points"));
    addRow(tr("Degree by"), degreeBy_, tr("degree k: by M, or fixed (SCLM, App. B.2)"));
    addRow(tr("κ"), kappa_, tr("k = max(2, ⌊κM⌋)"));
    addRow(tr("k"), degree_, tr("polynomial degree: a word depends on k + 1 control points"));
    addRow(tr("Margin ε"), margin_, tr("distance of the first and last word from the ends of the curve"));
    addRow(QString(), adaptive_, tr("ε = min(ε, 1 / 2L): long sentences keep their end control points"));
    addRow(tr("Knots"), knots_, tr("clamped: the curve ends in its end points"));
    addRow(tr("Ridge λ"), ridge_, tr("λ of the stable inverse Ψᵀ(ΨΨᵀ + λI)⁻¹; 0 = Moore-Penrose"));
    vboxIn(this, {rows_, error_}, {.margins = 0});

    for (NumberControl* control : numbers())
        connect(control, &NumberControl::valueChanged, this, &SplineForm::changed);
    for (QComboBox* box : {pointsBy_, degreeBy_, knots_})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            showGiven();
            Q_EMIT changed();
        });
    connect(adaptive_, &QCheckBox::toggled, this, &SplineForm::changed);
    connect(presets_, &QComboBox::activated, this, [this](int index) {
        if (index > 0) apply(curve::splinePresets()[static_cast<std::size_t>(index) - 1]);
    });
    showGiven();
}

void SplineForm::addRow(const QString& label, QWidget* control, const QString& tip) {
    auto* text = describe(new QLabel(label), {}, {}, tip);
    text->setMinimumWidth(px(62));
    text->setBuddy(control);
    control->setToolTip(tip);
    rows_->addRow(text, control);
}

void SplineForm::showGiven() {
    const bool count = pointsBy_->currentIndex() == 1, fixed = degreeBy_->currentIndex() == 1;
    rows_->setRowVisible(rho_, !count);
    rows_->setRowVisible(points_, count);
    rows_->setRowVisible(kappa_, !fixed);
    rows_->setRowVisible(degree_, fixed);
}

QList<NumberControl*> SplineForm::numbers() const {
    return {words_, rho_, points_, kappa_, degree_, margin_, ridge_};
}
QList<QWidget*> SplineForm::controls() const {
    QList<QWidget*> all{pointsBy_, degreeBy_, knots_, adaptive_};
    for (const NumberControl* control : numbers()) all << control->box();
    return all;
}

QJsonObject SplineForm::save() const {
    return saveControls(controls());
}

void SplineForm::restore(const QJsonObject& saved) {
    changeAtOnce([&] { restoreControls(controls(), saved); });
}

void SplineForm::changeAtOnce(const std::function<void()>& change) {
    {
        const QSignalBlocker quiet(this);
        change();
        showGiven();
    }
    Q_EMIT changed();
}

curve::SplineSettings SplineForm::settings() const {
    curve::SplineSettings settings;
    settings.words = static_cast<int>(words_->value());
    settings.countGiven = pointsBy_->currentIndex() == 1;
    settings.degreeGiven = degreeBy_->currentIndex() == 1;
    settings.rho = rho_->value();
    settings.controlPoints = static_cast<int>(points_->value());
    settings.kappa = kappa_->value();
    settings.degree = static_cast<int>(degree_->value());
    settings.margin = margin_->value();
    settings.adaptiveMargin = adaptive_->isChecked();
    settings.knots = knots_->currentIndex() == 1 ? curve::Knots::Unclamped : curve::Knots::Clamped;
    settings.ridge = ridge_->value();
    return settings;
}

void SplineForm::setError(const QString& text) {
    showText(*error_, text);
}

void SplineForm::apply(const curve::SplinePreset& preset) {
    changeAtOnce([&] {
        setRules(preset.rho, preset.degree, preset.kappa);
        margin_->setValue(preset.margin);
        adaptive_->setChecked(false);
        knots_->setCurrentIndex(0);
        ridge_->setValue(0);
    });
}

void SplineForm::choose(double rho, int degree, double kappa) {
    changeAtOnce([&] { setRules(rho, degree, kappa); });
}

void SplineForm::setRules(double rho, int degree, double kappa) {
    pointsBy_->setCurrentIndex(0);
    rho_->setValue(rho);
    degreeBy_->setCurrentIndex(degree > 0 ? 1 : 0);
    degree > 0 ? degree_->setValue(degree) : kappa_->setValue(kappa);
}

}  // namespace kurve::views
