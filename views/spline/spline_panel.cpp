#include "views/spline/spline_panel.h"

#include <QPushButton>
#include <array>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/studio.h"
#include "views/common/shell/card_grid.h"
#include "views/common/shell/command_registry.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/spline/basis_chart.h"
#include "views/spline/grid_chart.h"
#include "views/spline/map_chart.h"
#include "views/spline/ratio_chart.h"
#include "views/spline/spectrum_chart.h"
#include "views/spline/spline_form.h"
#include "views/spline/spline_report_view.h"

namespace kurve::views {

SplinePanel::SplinePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("spline"), tr("Sentence spline"), context, parent),
      form_(new SplineForm),
      report_(new SplineReportView),
      map_(new MapChart),
      basis_(new BasisChart),
      spectrum_(new SpectrumChart),
      ratios_(new RatioChart),
      grid_(new GridChart),
      pictures_([](const Request& request) { return curve::pictureOf(request.shape, request.shown); },
                [this](curve::SplinePicture picture) { take(std::move(picture)); }) {
    hboxIn(this, {buildControls(), {buildCharts(), 1}}, {.margins = space::kSmall, .spacing = space::kSmall});
    connect(form_, &SplineForm::changed, this, &SplinePanel::refresh);
    connect(form_, &SplineForm::changed, this, &SplinePanel::stateChanged);
    connect(map_, &MapChart::mapChosen, this, &SplinePanel::refresh);
    connect(map_, &MapChart::wordHovered, basis_, &BasisChart::highlightWord);
    connect(grid_, &GridChart::cellChosen, this, [this](double rho, int rule) {
        const curve::DegreeRule& by = curve::gridRules()[static_cast<std::size_t>(rule)];
        form_->choose(rho, by.degree, by.fraction);
    });
    if (context.commands != nullptr)
        CommandGroup(context.commands, tr("Run"), this)(
            "spline.use_in_draft", tr("Use spline in draft run"), {},
            tr("Set the draft's ρ, degree, margin, knots and ridge"), [this] { useInDraft(); });
    refresh();
}

QWidget* SplinePanel::buildCharts() {
    auto* charts = new CardGrid;
    charts->setCells({{map_, 0, 0}, {grid_, 0, 1}, {basis_, 1, 0, 2}, {spectrum_, 1, 1}, {ratios_, 2, 1}},
                     {2, 1, 1}, {3, 2});
    return charts;
}

QWidget* SplinePanel::buildControls() {
    auto* inside = describe(new QWidget, {.role = "surface"});
    auto* use = describe(new QPushButton(tr("Use in draft run")), "spline.useInDraft", {},
                         tr("Set ρ, degree, margin, knots and ridge in the draft's map settings"));
    use->setAccessibleName(use->text());
    connect(use, &QPushButton::clicked, this, &SplinePanel::useInDraft);
    vboxIn(inside, {form_, report_, use, Stretch{1}}, {.margins = space::kMedium, .spacing = space::kLarge});
    return controlColumn(inside, 300);
}

void SplinePanel::refresh() {
    const curve::SplineShape shape = form_->settings().shape();
    if (const Status status = curve::checkShape(shape); !status) {
        form_->setError(QString::fromStdString(status.error().message + "; " + status.error().remedy));
        return;  // the charts keep the last shape that exists
    }
    form_->setError({});
    pictures_.request({shape, map_->chosen()});
}

QJsonObject SplinePanel::saveState() const {
    return form_->save();
}

void SplinePanel::restoreState(const QJsonObject& saved) {
    if (!saved.isEmpty()) form_->restore(saved);
}

void SplinePanel::useInDraft() {
    const curve::SplineSettings settings = form_->settings();
    if (!curve::checkShape(settings.shape()))
        return Q_EMIT statusMessage(tr("No such spline; change the settings."));
    QMap<QString, QString> values;
    for (const auto& [key, value] : curve::mapFields(settings))
        values[QString::fromStdString(key)] = QString::fromStdString(value);
    ask<Studio>().reveal(QStringLiteral("launch"));
    ask<DraftForm>().useSettings(values);
}

void SplinePanel::take(curve::SplinePicture picture) {
    picture_ = std::move(picture);
    report_->show(picture_);
    map_->show(picture_);
    basis_->show(picture_);
    spectrum_->show(picture_);
    ratios_->show(picture_.shape);
    grid_->show(picture_.shape);
}

QString SplinePanel::statement() const {
    if (!hasData()) return tr("Computing the spline…");
    return tr("%1 on %2 of degree %3: rank %4, R_L %5, input gain %6.")
        .arg(countedText(picture_.shape.words, tr("word")),
             countedText(picture_.shape.controlPoints, tr("control point")))
        .arg(picture_.shape.degree)
        .arg(picture_.report.rank)
        .arg(numberText(picture_.report.R_L), numberText(picture_.report.inputGain, 3));
}

}  // namespace kurve::views
