#include "views/schedule/schedule_readout.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_card.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

QString said(const char* text) {
    return QCoreApplication::translate("ScheduleCharts", text);
}

/// One part for every schedule that is shown.
template <class Text>
QStringList parts(const ShownCurves& shown, const QString& where, Text text) {
    QStringList out{where};
    for (const ShownCurve& one : shown) out << PlotCard::key(one.color, text(*one.curves), one.glyph);
    return out;
}

}  // namespace

double lineAt(const std::vector<double>& x, const std::vector<double>& y, double at) {
    if (x.empty()) return NAN;
    const auto right = std::lower_bound(x.begin(), x.end(), at);
    if (right == x.begin()) return y.front();
    if (right == x.end()) return y.back();
    const auto i = static_cast<std::size_t>(right - x.begin());
    return y[i - 1] + (at - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
}

QStringList signalReadout(const ShownCurves& shown, double time) {
    return parts(
        shown, QStringLiteral("t %1").arg(numberText(time, 3)), [time](const schedule::ScheduleCurves& c) {
            return said("α %1, %2 %3")
                .arg(numberText(lineAt(c.s, c.signal, time), 3), c.masking ? said("masked") : said("σ"),
                     numberText(lineAt(c.s, c.noise, time), 3));
        });
}

QStringList logSnrReadout(const ShownCurves& shown, double time) {
    return parts(
        shown, QStringLiteral("t %1").arg(numberText(time, 3)),
        [time](const schedule::ScheduleCurves& c) { return numberText(lineAt(c.snrAt, c.logSnr, time), 3); });
}

QStringList densityReadout(const ShownCurves& shown, double logSnr) {
    return parts(shown, said("log-SNR %1").arg(numberText(logSnr, 3)),
                 [logSnr](const schedule::ScheduleCurves& c) {
                     return said("p %1, w·p %2")
                         .arg(numberText(lineAt(c.density.logSnr, c.density.density, logSnr), 3),
                              numberText(lineAt(c.density.logSnr, c.weighted, logSnr), 3));
                 });
}

QStringList lossReadout(const RunLosses& shown, double logSnr) {
    QStringList out{said("log-SNR %1").arg(numberText(logSnr, 3))};
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const NoiseLoss& loss = shown[i].loss;
        const QColor& color = shown[i].color;
        const auto add = [&](const char* text, const std::vector<double>& at,
                             const std::vector<double>& values, const char16_t* mark) {
            if (values.empty()) return;
            out << PlotCard::key(color, said(text).arg(numberText(lineAt(at, values, logSnr), 3)),
                                 QString::fromUtf16(mark));
        };
        add("loss %1", loss.logSnr, loss.loss, kLossMarks[i]);
        add("gradient %1", loss.gradientLogSnr, loss.gradient, kGradientMarks[i]);
        add("probability %1", loss.probabilityLogSnr, loss.probability, kProbabilityMark);
    }
    return out;
}

}  // namespace kurve::views
