#include "views/frontier/point_details.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTableWidget>
#include <algorithm>
#include <utility>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/frontier/point_table.h"

namespace kurve::views {

namespace {

constexpr int kTextColumns = 2;  ///< source and reference; then the draws

QString estimateText(const QString& title, const frontier::Estimate& e) {
    return QStringLiteral("%1 <b>%2</b>%3")
        .arg(title.toHtmlEscaped(), numberText(e.value, 4), intervalText(e));
}

}  // namespace

PointDetails::PointDetails(QWidget* parent)
    : QTabWidget(parent),
      point_(describe(new QLabel, "frontier.point", {.wraps = true, .format = Qt::RichText})),
      common_(describe(new QLabel, "frontier.common", {.wraps = true})),
      texts_(describe(new QTableWidget, "frontier.texts", tr("Outputs of the chosen point"))),
      points_(new PointTable) {
    point_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    texts_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    texts_->setSelectionBehavior(QAbstractItemView::SelectRows);
    texts_->setShowGrid(false);
    texts_->setTabKeyNavigation(false);
    texts_->verticalHeader()->hide();
    texts_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* point = boxed(vbox({point_, buildUse(), {texts_, 1}},
                             {.margins = {0, space::kSmall, 0, 0}, .spacing = space::kTight}));
    auto* selected =
        boxed(vbox({common_, {points_, 1}}, {.margins = {0, space::kSmall, 0, 0}, .spacing = space::kTight}));
    setObjectName(QStringLiteral("frontier.tabs"));
    setDocumentMode(true);
    addTab(point, tr("Point"));
    addTab(selected, tr("Selected points"));
    leaveOutOfFigures(*tabBar());
    connect(texts_, &QTableWidget::cellActivated, this,
            [this](int row, int column) { Q_EMIT textOpened(row, std::max(0, column - kTextColumns)); });
}

QLayout* PointDetails::buildUse() {
    const auto button = [](const QString& text, const char* id, const QString& tip, const char* role) {
        return describe(new QPushButton(text), QLatin1String("frontier.") + QLatin1String(id), {}, tip,
                        {.role = role});
    };
    usePrompt_ = button(tr("Use in the prompt bar"), "use_prompt",
                        tr("Decode the next prompts with this point's settings (U)"), "");
    useDraft_ = button(tr("Use in the draft"), "use_draft",
                       tr("Set these settings in the draft of the next training (Shift+U)"), "");
    useDefault_ =
        button(tr("Use as default sampler"), "use_default",
               tr("Decode this run with these settings: prompts, evaluations, kurve sample, trace and eval; "
                  "also the draft (D)"),
               "");
    undo_ = button(tr("Undo"), "undo", tr("Restore the previous settings"), "quiet");
    used_ = describe(new QLabel, {.role = "caption", .shrinks = true});
    auto* row = wrapBox({usePrompt_, useDraft_, useDefault_, undo_, used_});
    leaveOutOfFigures(*row);
    connect(usePrompt_, &QPushButton::clicked, this, [this] { Q_EMIT useWanted(SamplerUse::Prompt); });
    connect(useDraft_, &QPushButton::clicked, this, [this] { Q_EMIT useWanted(SamplerUse::Draft); });
    connect(useDefault_, &QPushButton::clicked, this, [this] { Q_EMIT useWanted(SamplerUse::Default); });
    connect(undo_, &QPushButton::clicked, this, [this] {
        if (const auto undo = std::exchange(undoing_, nullptr)) undo();
        offerUndo(tr("Restored."), nullptr);
    });
    offerUndo({}, nullptr);
    return row;
}

void PointDetails::offerUndo(const QString& text, std::function<void()> undo) {
    undoing_ = std::move(undo);
    showText(*used_, text);
    undo_->setVisible(static_cast<bool>(undoing_));
}

void PointDetails::showPoint(const frontier::SweepPoint* point, const QString& run,
                             const std::function<QString(const QString&)>& title) {
    texts_->setRowCount(0);
    for (QPushButton* button : {usePrompt_, useDraft_, useDefault_}) button->setVisible(point != nullptr);
    leaveOutOfFigures(*this, point == nullptr && points_->rowCount() == 0);  // only how to fill it
    if (point == nullptr) {
        point_->setText(
            tr("<span>Hover a point for its numbers and texts; click to pin it, double-click to open a "
               "trace.</span>"));
        texts_->hide();
        return;
    }
    QStringList numbers;
    for (const auto* side : {&point->quality, &point->diversity})
        for (const auto& [id, e] : *side) numbers << estimateText(title(QString::fromStdString(id)), e);
    numbers << tr("%1, %2 ms per output")
                   .arg(countedText(point->cost.networkCalls, tr("network call")),
                        numberText(outputMilliseconds(*point), 3));
    point_->setText(QStringLiteral("<b>%1</b>  ·  %2<br>%3")
                        .arg(run.toHtmlEscaped(), settingsText(*point).toHtmlEscaped(),
                             numbers.join(QStringLiteral("  ·  "))));
    texts_->show();
    const int draws = static_cast<int>(point->seeds.size());
    texts_->setColumnCount(kTextColumns + draws);
    QStringList heads{tr("Source"), tr("Reference")};
    for (const auto seed : point->seeds) heads << tr("Seed %1").arg(seed);
    texts_->setHorizontalHeaderLabels(heads);
    texts_->setRowCount(static_cast<int>(point->texts.size()));
    for (int row = 0; row < texts_->rowCount(); ++row) {
        const auto& text = point->texts[static_cast<std::size_t>(row)];
        QStringList cells{QString::fromStdString(text.source), QString::fromStdString(text.reference)};
        for (const auto& output : text.outputs) cells << QString::fromStdString(output);
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setToolTip(plainTip(cells[column]));
            texts_->setItem(row, column, item);
        }
    }
    texts_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
}

void PointDetails::showSelected(const Plane& plane, const std::vector<FrontierChart::PointIndex>& indices,
                                const QString& qualityTitle, const QString& diversityTitle) {
    setTabText(1, indices.empty() ? tr("Selected points") : tr("Selected points (%1)").arg(indices.size()));
    points_->show(plane, indices, qualityTitle, diversityTitle);
    points_->setVisible(!indices.empty());
    leaveOutOfFigures(*this, indices.empty() && texts_->rowCount() == 0);
    if (indices.empty()) {
        common_->setText(
            tr("Select points with Shift+drag, Lasso or Ctrl+click to list them with their common settings. "
               "Ctrl+E exports the table."));
        return;
    }
    std::vector<const frontier::SweepPoint*> chosen, all;
    for (const auto& index : indices)
        chosen.push_back(plane.curves[static_cast<std::size_t>(index.curve)]
                             .points[static_cast<std::size_t>(index.point)]);
    for (const auto& curve : plane.curves) all.insert(all.end(), curve.points.begin(), curve.points.end());
    const QStringList common = commonSettings(chosen, all);
    common_->setText(common.isEmpty() ? tr("No common settings.")
                                      : tr("Common settings: %1.").arg(common.join(QStringLiteral(", "))));
    setCurrentIndex(1);
}

}  // namespace kurve::views
