#include "views/compare/compare_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/saved_choice.h"
#include "views/common/services/project_files.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/folding_splitter.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/compare/compare_chart.h"
#include "views/compare/compare_states.h"
#include "views/compare/differing_settings.h"
#include "views/compare/final_metrics.h"
#include "views/compare/fixed_prompts.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<2> kMiddleIds{"curves", "states"};  ///< the tabs

constexpr const char* kConfigKey = "config";
constexpr int kSideBySideWidth = 900;  ///< both tables with the columns of two runs

QWidget* padded(QWidget* content) {
    return boxed(vbox({content}, {.margins = {space::kSmall, space::kTight}}));
}

QWidget* titled(const QString& title, QWidget* extra, QWidget* content) {
    auto* box = new QWidget;
    auto* head = hbox({describe(new QLabel(title), {.role = "title"})});
    if (extra) head->addWidget(extra, 1);
    vboxIn(box, {head, {content, 1}}, {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight});
    return box;
}

}  // namespace

ComparePanel::ComparePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("compare"), QStringLiteral("Compare"), context, parent),
      final_(new FinalMetrics(context)),
      chart_(new CompareChart),
      states_(new CompareStates(context)),
      middle_(new QTabWidget),
      prompts_(new FixedPrompts(context)),
      parents_(*context.catalog) {
    buildMiddle();
    auto* rows = splitBox(Qt::Vertical, {{makeTables(), 3}, {middle_, 5}, {prompts_, 4}});
    setContent(boxed(vbox({makeHead(), {rows, 1}}, {.margins = 0, .spacing = 0})),
               [this] { compareNewest(); });
    addCommands();
    connectContext();
    connectParts();
    watchSelection();
}

void ComparePanel::connectContext() {
    const Selection* selection = context().selection;
    connect(selection, &Selection::hiddenChanged, chart_, &CompareChart::setHidden);
    connect(selection, &Selection::hiddenChanged, this, &ComparePanel::refreshFinalMetrics);
    chart_->setHidden(selection->hiddenRuns());
    connect(selection, &Selection::runsChanged, this, &ComparePanel::watchSelection);
    connect(selection, &Selection::baselineChanged, this, &ComparePanel::refresh);
    connect(selection, &Selection::hoveredRunChanged, chart_, &CompareChart::setPointed);
    connect(context().catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (watched_.contains(id) || parents_.watches(id)) refresh();
    });
    connect(context().catalog, &RunCatalog::runsChanged, this, [this] {
        parents_.follow(watched_.ids());
        refresh();
    });
    onThemeChange(this, &ComparePanel::refresh);
}

void ComparePanel::connectParts() {
    const Selection* selection = context().selection;
    connect(chart_, &CompareChart::runChosen, this, &ComparePanel::chooseRun);
    connect(chart_, &CompareChart::baselineRequested, this, &ComparePanel::setBaseline);
    connect(chart_, &CompareChart::hideRequested, selection, &Selection::hideRuns);
    connect(chart_, &CompareChart::choiceChanged, this, [this] {
        refreshFinalMetrics();
        Q_EMIT stateChanged();
    });
    connect(chart_, &CompareChart::keepRequested, selection, &Selection::setRuns);
    connect(chart_, &CompareChart::runHovered, selection, &Selection::setHoveredRun);
    connect(final_, &FinalMetrics::valuesChosen, this, &ComparePanel::refreshFinalMetrics);
    connect(final_, &FinalMetrics::choiceChanged, this, &ComparePanel::stateChanged);
    connect(prompts_, &FixedPrompts::choiceChanged, this, &ComparePanel::stateChanged);
    connect(prompts_, &FixedPrompts::statusMessage, this, &ComparePanel::statusMessage);
    connect(middle_, &QTabWidget::currentChanged, this, &ComparePanel::stateChanged);
    connect(states_, &CompareStates::choiceChanged, this, &ComparePanel::stateChanged);
    connect(states_, &CompareStates::inspectRequested, this,
            [this] { context().commands->trigger(QStringLiteral("workspace.inspect")); });
}

QWidget* ComparePanel::makeHead() {
    statement_ = describe(new ElidedLabel("caption"), "compare.statement");
    auto* report =
        describe(new QPushButton(QStringLiteral("Report…")), "compare.report", QStringLiteral("Write report"),
                 QStringLiteral("Write this comparison to one offline HTML file (Ctrl+Shift+R)"));
    connect(report, &QPushButton::clicked, this, [this] { requestReport(); });
    auto* head =
        boxed(hbox({{statement_, 1}, report}, {.margins = {space::kSmall, space::kTight, space::kSmall, 0}}));
    leaveOutOfFigures(*head);  // the caption has its text
    return head;
}

void ComparePanel::requestReport() {
    QStringList ids;
    for (const ComparedRun& run : runs_) ids << run.id;
    if (ids.isEmpty())
        Q_EMIT statusMessage(QStringLiteral("No comparison; select two or more runs."));
    else
        ask<ProjectFiles>().askReport(ids, reportView());
}

void ComparePanel::setBaseline(const QString& id) {
    context().selection->setBaseline(baseline() == id ? QString() : id);
}

const QString& ComparePanel::baseline() const {
    return context().selection->baseline();
}

QJsonObject ComparePanel::saveState() const {
    return {{QStringLiteral("prompts"), prompts_->save()},
            {QStringLiteral("final_metrics"), final_->save()},
            {QStringLiteral("chart"), chart_->save()},
            {QStringLiteral("states"), states_->save()},
            {QStringLiteral("middle"), savedChoice(kMiddleIds, middle_->currentIndex())}};
}

void ComparePanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    prompts_->restore(saved.value(QStringLiteral("prompts")).toObject());
    final_->restore(saved.value(QStringLiteral("final_metrics")).toObject());
    chart_->restore(saved.value(QStringLiteral("chart")).toObject());
    states_->restore(saved.value(QStringLiteral("states")).toObject());
    middle_->setCurrentIndex(choiceOf(kMiddleIds, saved.value(QStringLiteral("middle"))));
    refresh();
}

void ComparePanel::chooseRun(const QString& id) {
    if (!context().selection->runs().contains(id)) return;
    context().selection->setPrimary(id);
    Q_EMIT statusMessage(QStringLiteral("Selected: %1.").arg(context().catalog->nameOf(id)));
}

void ComparePanel::useCurrentAsBaseline() {
    const GroupTable& groups = final_->groups();
    if (const QString member = groups.currentMember(); groups.hasFocus() && !member.isEmpty())
        return context().selection->setBaseline(member);
    for (const RunColumnsTable* view : {&final_->runTable(), diff_}) {
        const int column = view->currentIndex().column();
        if (!view->hasFocus() || column < 1 || column > static_cast<int>(runs_.size())) continue;
        return setBaseline(runs_[static_cast<std::size_t>(column) - 1].id);
    }
    if (runs_.size() > 1) setBaseline(runs_[1].id);  // without a choice: the next one, so B goes through all
}

QWidget* ComparePanel::makeTables() {
    diff_ =
        new RunColumnsTable(QStringLiteral("compare.settings"),
                            QStringLiteral("Settings in which the runs differ"), QStringLiteral("Setting"));
    diffNote_ = new ElidedLabel("caption");
    auto* side = new FoldingSplitter(kSideBySideWidth);
    side->addWidget(titled(QStringLiteral("Settings that differ"), diffNote_, diff_));
    side->addWidget(final_);
    side->setSizes({px(440), px(520)});  // values with differences are wider
    for (int table = 0; table < side->count(); ++table)
        side->widget(table)->setMinimumHeight(px(150));  // a few rows; with less space the page scrolls
    return side;
}

void ComparePanel::buildMiddle() {
    describe(middle_, "compare.middle", QStringLiteral("Curves or token similarity of the runs"));
    middle_->setDocumentMode(true);
    leaveOutOfFigures(*middle_->tabBar());
    middle_->setMinimumHeight(px(320));  // a chart below two lines of choices
    middle_->addTab(padded(chart_), QStringLiteral("Curves"));
    middle_->addTab(states_, QStringLiteral("Token similarity"));
    middle_->setTabToolTip(1, QStringLiteral("State summary per step, by run (R)"));
}

void ComparePanel::addCommands() {
    const auto category = QStringLiteral("View");
    auto* commands = context().commands;
    QList<QAction*> exports;
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data"})
        if (QAction* action = commands->action(QLatin1String(id))) exports << action;
    chart_->setMenuActions(exports);
    const CommandGroup add(commands, category);
    add("compare.newest", QStringLiteral("Compare two newest runs"), {},
        QStringLiteral("Select the two latest runs"), [this] { compareNewest(); });
    add("compare.report", QStringLiteral("Write report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_R,
        QStringLiteral("One offline HTML file of the comparison"), [this] { requestReport(); });
    const CommandGroup addHere(commands, category, this);
    addHere("compare.baseline", QStringLiteral("Use as baseline"), Qt::Key_B,
            QStringLiteral("The run of the current column is the baseline; again: the first run"),
            [this] { useCurrentAsBaseline(); });
    addHere("compare.similarity", QStringLiteral("Token similarity of the compared runs"), Qt::Key_R,
            QStringLiteral("State summary per step, by run; again: the curves"),
            [this] { middle_->setCurrentIndex(1 - middle_->currentIndex()); });
    addHere("compare.colours", QStringLiteral("Toggle heat map of token similarity"), Qt::Key_C,
            QStringLiteral("Heat map rows, or lines"), [this] { states_->toggleColours(); });
    const CommandGroup addToChart(commands, category, chart_);
    addToChart("compare.log_x", QStringLiteral("Change x scale"), Qt::Key_X,
               QStringLiteral("Linear, logarithmic, symmetric logarithmic"),
               [this] { chart_->chart()->nextKeyScale(); });
    addToChart("compare.log_y", QStringLiteral("Change y scale"), Qt::Key_Y,
               QStringLiteral("Linear, logarithmic, symmetric logarithmic"),
               [this] { chart_->chart()->nextValueScale(); });
    addToChart("compare.fit", QStringLiteral("Fit axes"), Qt::Key_F,
               QStringLiteral("Show all curves in full (also double click)"),
               [this] { chart_->chart()->fit(); });
}

bool ComparePanel::hasData() const {
    return std::ranges::count_if(runs_, [](const auto& run) { return run.data != nullptr; }) >= 2;
}

QString ComparePanel::statement() const {
    if (!hasData()) return QStringLiteral("Select two or more runs to compare them.");
    QStringList others;
    for (std::size_t i = 1; i < runs_.size(); ++i) others << runs_[i].title;
    const int count = diff_->rowCount();
    const QString differing =
        count == 1 ? QStringLiteral("1 setting differs") : QStringLiteral("%1 settings differ").arg(count);
    return QStringLiteral("%1 against %2: %3.")
        .arg(runs_.front().title, others.join(QStringLiteral(", ")), withMissing(runs_, differing));
}

void ComparePanel::engineInfoChanged() {
    refresh();
}

void ComparePanel::watchSelection() {
    QStringList wanted = context().selection->runs();
    if (wanted.size() < 2) wanted.clear();
    chart_->setMainRun(context().selection->primaryRun());
    // Another primary run of the same selection keeps the columns.
    const QStringList& watched = watched_.ids();
    if (!watched.isEmpty() && QSet(wanted.begin(), wanted.end()) == QSet(watched.begin(), watched.end()))
        return;
    watched_.set(wanted);
    parents_.follow(wanted);
    refresh();
}

ComparedRun ComparePanel::read(const QString& id) const {
    ComparedRun run{id, context().catalog->nameOf(id), context().catalog->data(id), {}, {}, {}};
    if (!run.data) return run;
    if (const QString parent = parents_.parentOf(id); !parent.isEmpty())
        run.parent = {parent, context().catalog->nameOf(parent), context().catalog->data(parent)};
    const auto text = run.data->values.find(kConfigKey);
    if (text == run.data->values.end()) {
        run.configProblem = isImported(*run.data) ? QStringLiteral("imported without settings")
                                                  : QStringLiteral("no settings recorded");
        return run;
    }
    auto config = RunConfig::parse(text->second, id.toStdString(), context().engine->schemas());
    if (config)
        run.config = std::move(*config);
    else
        run.configProblem = qt(config.error().text());
    return run;
}

void ComparePanel::refresh() {
    runs_.clear();
    for (const QString& id : watched_.ids()) runs_.push_back(read(id));
    std::stable_partition(runs_.begin(), runs_.end(),
                          [this](const auto& run) { return run.id == baseline(); });
    setEmpty(runs_.size() < 2);
    if (isEmpty()) {
        states_->setRuns({});
        return showEmptyState();
    }
    diff_->setRows(runs_, differingSettings(runs_));
    chart_->setRuns(runs_, *context().engine);
    refreshFinalMetrics();
    QStringList ids;
    for (const ComparedRun& run : runs_) ids << run.id;
    states_->setRuns(ids);
    prompts_->setRuns(runs_);
    statement_->setText(statement());
    const int count = diff_->rowCount();
    diffNote_->setText(withMissing(
        runs_, count == 0 ? QStringLiteral("none") : QStringLiteral("%1; others equal").arg(count)));
    QStringList why;
    for (const ComparedRun& run : runs_)
        if (!run.configProblem.isEmpty()) why << QStringLiteral("%1: %2").arg(run.title, run.configProblem);
    diffNote_->setToolTip(why.join(QLatin1Char('\n')));
}

void ComparePanel::refreshFinalMetrics() {
    if (runs_.size() > 1) final_->setRuns(runs_, chart_->grouping());
}

interop::ReportView ComparePanel::reportView() const {
    interop::ReportView view = chart_->reportView();
    for (const QString& id : final_->groups().shownValues())
        view.values.push_back({id.toStdString(), final_->groups().titleOf(id).toStdString()});
    view.sampleStep = prompts_->step();
    view.diffAgainst = prompts_->diffRun().toStdString();
    return view;
}

void ComparePanel::showEmptyState() {
    const auto& all = context().catalog->runs();
    const auto usable = std::ranges::count_if(all, [](const auto& run) { return !run.trashed; });
    if (usable >= 2) {
        setEmptyTexts(
            QStringLiteral("No comparison"),
            QStringLiteral("Select two or more runs in the list on the left (Ctrl+click) and press Enter."),
            QStringLiteral("Compare two newest runs"));
    } else {
        setEmptyTexts(
            QStringLiteral("No comparison"),
            QStringLiteral("This project has %1. Start a run in the Train workspace (F5), then select both.")
                .arg(usable == 1 ? QStringLiteral("one run") : QStringLiteral("no runs yet")));
    }
}

void ComparePanel::compareNewest() {
    QStringList newest;
    const auto& all = context().catalog->runs();
    for (auto run = all.rbegin(); run != all.rend() && newest.size() < 2; ++run)
        if (!run->trashed) newest.prepend(qt(run->id));
    if (newest.size() == 2) context().selection->setRuns(newest);
}

}  // namespace kurve::views
