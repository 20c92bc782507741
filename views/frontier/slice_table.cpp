#include "views/frontier/slice_table.h"

#include <QLabel>
#include <QTextDocument>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QLabel* richLabel(const QString& name) {
    return describe(new QLabel, name, {.wraps = true, .selectable = true, .format = Qt::RichText});
}

QString plain(const QLabel* label) {
    QTextDocument document;
    document.setHtml(label->text());
    return document.toPlainText();
}

struct Row {
    QString title;
    QColor color;
    frontier::Slice slice;
};

/// `direction`: -1 where lower is better.
QString pairText(const Row& a, const Row& b, SliceTable::Equal equal, double direction) {
    const auto d = frontier::difference(a.slice, b.slice);
    const QString numbers =
        SliceTable::tr("%1%2 [%3, %4]")
            .arg(d.value >= 0 ? QStringLiteral("+") : QStringLiteral("−"), numberText(std::abs(d.value), 3),
                 numberText(d.low, 3), numberText(d.high, 3));
    const QString more = equal == SliceTable::Equal::Diversity ? SliceTable::tr("%1 is better")
                                                               : SliceTable::tr("%1 is more diverse");
    const QString verdict = d.distinguishable()
                                ? more.arg((direction * d.value > 0 ? a : b).title.toHtmlEscaped())
                                : SliceTable::tr("not distinguishable");
    return QStringLiteral("<p style='margin:2px 0'>%1 − %2: %3<br><b>%4</b></p>")
        .arg(a.title.toHtmlEscaped(), b.title.toHtmlEscaped(), numbers, verdict);
}

}  // namespace

SliceTable::SliceTable(Equal equal, QWidget* parent)
    : QWidget(parent),
      equal_(equal),
      title_(describe(new QLabel, {.role = "title", .wraps = true})),
      rows_(richLabel(QStringLiteral("frontier.slice.rows"))),
      pairs_(richLabel(QStringLiteral("frontier.slice.pairs"))),
      note_(describe(new QLabel, {.role = "caption", .wraps = true})) {
    vboxIn(this, {title_, rows_, pairs_, note_}, {.margins = 0, .spacing = space::kTight});
}

/// Why the front has no value at the plane's coordinate `at`: it ends before, or all of it lies beyond.
QString SliceTable::whyNot(const FrontCurve& curve, double at) const {
    const bool byDiversity = equal_ == Equal::Diversity;
    if (!curve.front.empty()) {
        const auto &first = curve.planePoints[curve.front.front()],
                   &last = curve.planePoints[curve.front.back()];
        if (byDiversity && at < first.x) return tr("higher diversity on the whole front");
        if (!byDiversity && at < last.y) return tr("better on the whole front");
    }
    return byDiversity ? tr("diversity not reached") : tr("quality not reached");
}

void SliceTable::show(const Plane& plane, double at, const QString& qualityTitle,
                      const QString& diversityTitle) {
    const bool byDiversity = equal_ == Equal::Diversity;
    const double coordinate = byDiversity ? at : plane.direction * at;
    title_->setText(tr("%1 at %2 = %3")
                        .arg(byDiversity ? qualityTitle : diversityTitle,
                             byDiversity ? diversityTitle : qualityTitle, numberText(at, 3)));
    std::vector<Row> found;
    QString rows;
    for (const auto& curve : plane.curves) {
        const QColor color = runStyle(curve.runId).color;
        auto slice = byDiversity ? frontier::sliceAt(curve.planePoints, coordinate)
                                 : frontier::sliceAtQuality(curve.planePoints, coordinate);
        if (slice && byDiversity) slice = frontier::oriented(*slice, plane.direction);
        const QString numbers =
            slice ? tr("%1 [%2, %3]")
                        .arg(numberText(slice->y, 3), numberText(slice->low, 3), numberText(slice->high, 3))
                  : whyNot(curve, coordinate);
        rows += QStringLiteral("<p style='margin:2px 0'><span style='color:%1'>━</span> %2: %3</p>")
                    .arg(color.name(), curve.title.toHtmlEscaped(), numbers);
        if (slice) found.push_back({curve.title, color, *slice});
    }
    rows_->setText(rows);
    QString pairs;
    for (std::size_t a = 0; a < found.size(); ++a)
        for (std::size_t b = a + 1; b < found.size(); ++b)
            pairs += pairText(found[a], found[b], equal_, byDiversity ? plane.direction : 1);
    showText(*pairs_, pairs);
    showText(*note_,
             found.size() > 1
                 ? tr("95 % CI over sentences, interpolated between neighbouring points of each front; "
                      "the errors of two runs are taken as independent.")
                 : QString());
}

QString SliceTable::text() const {
    return title_->text() + QLatin1Char('\n') + plain(rows_) + QLatin1Char('\n') + plain(pairs_);
}

}  // namespace kurve::views
