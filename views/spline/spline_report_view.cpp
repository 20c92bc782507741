#include "views/spline/spline_report_view.h"

#include <QFormLayout>
#include <QLabel>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

SplineReportView::SplineReportView(QWidget* parent)
    : QWidget(parent), rows_(new QFormLayout), warning_(new QLabel) {
    setObjectName(QStringLiteral("spline.report"));
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setVerticalSpacing(px(4));
    shape_ = addRow("shape", tr("L × M, degree"), tr("effective words, control points and degree"));
    rank_ = addRow("rank", tr("Rank of Ψ"), tr("as many words can be reproduced exactly"));
    mse_ = addRow("mse", tr("Reconstruction MSE"),
                  tr("mean (x − ΨΨ⁺x)² of unit-variance words: 1 − rank / L (SCLM, App. C.2)"));
    words_ = addRow("wordsPerPoint", tr("Words per point"),
                    tr("mean over the control points that any word depends on"));
    coupling_ = addRow("coupling", tr("Neighbour cosine"),
                       tr("mean cosine of neighbouring rows of Ψ; 0 = no coupling"));
    ratios_ = addRow(
        "ratios", tr("R_L, R_M, R_1"),
        tr("global over local error importance on words, on control points, for a uniform shift; 1 = no "
           "preference (SCLM, Lemma 4.3)"));
    dead_ = addRow("dead", tr("Dead points"), tr("control points that no word depends on"));
    gain_ = addRow("gain", tr("Input gain"),
                   tr("mean variance of a control point for unit-variance words: ‖Ψ⁺‖² / M"));
    describe(warning_, "spline.warning", {.role = "warn", .wraps = true});
    vboxIn(this, {rows_, warning_}, {.margins = 0});
}

QLabel* SplineReportView::addRow(const char* id, const QString& label, const QString& tip) {
    auto* name = describe(new QLabel(label), {}, {}, tip, {.role = "caption"});
    auto* value = describe(new QLabel, QStringLiteral("spline.report.") + QLatin1String(id), label, tip);
    value->setAlignment(Qt::AlignRight);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    rows_->addRow(name, value);
    return value;
}

void SplineReportView::show(const curve::SplinePicture& picture) {
    const curve::SplineShape& shape = picture.shape;
    const curve::SplineReport& report = picture.report;
    shape_->setText(
        QStringLiteral("%1 × %2, k %3").arg(shape.words).arg(shape.controlPoints).arg(shape.degree));
    rank_->setText(tr("%1 of %2").arg(report.rank).arg(shape.words));
    mse_->setText(numberText(report.reconstructionMse, 3));
    words_->setText(numberText(report.wordsPerControlPoint, 3));
    coupling_->setText(numberText(report.neighbourCorrelation, 3));
    QStringList ratios;
    for (const double ratio : {report.R_L, report.R_M, report.R_1}) ratios << numberText(ratio);
    ratios_->setText(ratios.join(QStringLiteral(", ")));
    dead_->setText(tr("%1 of %2").arg(report.deadControlPoints).arg(shape.controlPoints));
    gain_->setText(numberText(report.inputGain, 3));
    const bool high = report.inputGain > curve::kHighInputGain;
    warning_->setVisible(high);
    if (high)
        warning_->setText(tr("⚠ Input gain %1 is above %2: noise is amplified. Set a ridge of 0.01, lower "
                             "the degree or use more control points.")
                              .arg(numberText(report.inputGain, 3), numberText(curve::kHighInputGain)));
}

}  // namespace kurve::views
