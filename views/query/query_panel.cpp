#include "views/query/query_panel.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>

#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/shell/command_registry.h"
#include "views/common/table/column_model.h"
#include "views/common/table/view_table.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostRows = 100'000;
constexpr int kNameCharacters = 26;

struct Example {
    const char *title, *sql;
    bool ofRun;
};
constexpr Example kExamples[] = {
    {"Runs with their state and steps",
     "SELECT id, family, state, step, total_steps, round(ended - started) AS seconds\nFROM runs ORDER BY "
     "started DESC",
     false},
    {"A metric of every run",
     "SELECT id, json_extract(metrics, '$.valid_bleu') AS bleu, json_extract(settings, '$.\"train.lr\"') AS "
     "lr\n"
     "FROM runs ORDER BY bleu DESC",
     false},
    {"Disk space by family",
     "SELECT family, count(*) AS runs, sum(bytes) / 1e6 AS megabytes\nFROM runs GROUP BY family", false},
    {"Curves of the run", "SELECT name, points, last_step, last_value FROM metrics ORDER BY name", true},
    {"A curve, every point", "SELECT step, wall, value FROM points WHERE metric = 'loss' ORDER BY step",
     true},
    {"Events and warnings",
     "SELECT step, datetime(wall, 'unixepoch') AS at, kind, text FROM events ORDER BY id", true},
    {"Outputs for the fixed prompts",
     "SELECT step, prompt, input, output, reference FROM samples ORDER BY prompt, step", true},
};

/// A value of the answer; strings are shown to some length, the tool tip and the export have all.
QVariant valueFor(int role, const nlohmann::json& value) {
    constexpr int kLongestShown = 300, kLongestTip = 4000, kShort = 40;
    const QString text = value.is_null()     ? QStringLiteral("NULL")
                         : value.is_string() ? qt(value.get_ref<const std::string&>())
                                             : qt(value.dump());
    switch (role) {
        case Qt::DisplayRole:
            return value.is_number_float()
                       ? numberText(value.get<double>(), 8)
                       : text.left(kLongestShown).replace(QLatin1Char('\n'), QLatin1Char(' '));
        case Qt::ToolTipRole:
            return text.size() > kShort ? QVariant(plainTip(text.left(kLongestTip))) : QVariant();
        case kExportRole:
            if (value.is_null()) return QString();
            return value.is_number() ? QVariant(value.get<double>()) : QVariant(text);
        case Qt::TextAlignmentRole:
            return value.is_number() ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::ForegroundRole:
            return value.is_null() ? QVariant(theme().faint) : QVariant();
        case Qt::FontRole:
            return monoFont();
        default:
            return {};
    }
}

void fill(ColumnModel& model, const std::shared_ptr<const store::SqlTable>& table) {
    std::vector<ColumnModel::Column> columns;
    for (std::size_t i = 0; i < table->columns.size(); ++i)
        columns.push_back({qt(table->columns[i]), [table, i](int row, int role) {
                               return valueFor(role, table->rows[static_cast<std::size_t>(row)][i]);
                           }});
    model.setTable(static_cast<int>(table->rows.size()), std::move(columns));
}

}  // namespace

QueryPanel::QueryPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("query"), tr("SQL"), context, parent),
      database_(describe(new QComboBox, "query.database", tr("Database"), {.letters = 8})),
      examples_(describe(new QComboBox, "query.examples", tr("Example queries"), {.letters = 8})),
      sql_(describe(new QPlainTextEdit, "query.sql", tr("SQL query"))),
      run_(describe(new QPushButton(tr("Run")), "query.run", {}, tr("Ctrl+Enter"))),
      cancel_(describe(new QPushButton(tr("Cancel")), "query.cancel")),
      note_(describe(new QLabel, "query.note", {.role = "caption", .wraps = true})),
      table_(describe(new QTableView, "query.table", tr("Result"))),
      model_(new ColumnModel(this)) {
    sql_->setFont(monoFont());
    sql_->setTabChangesFocus(true);
    cancel_->setEnabled(false);
    table_->setModel(model_);
    table_->setWordWrap(false);
    table_->setShowGrid(false);
    table_->verticalHeader()->setDefaultSectionSize(px(23));
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);

    auto* head = hbox({{database_, 1}, {examples_, 1}, run_, cancel_}, {.spacing = space::kSmall});
    auto* top = new QWidget;
    vboxIn(top, {head, {sql_, 1}, note_},
           {.margins = {space::kSmall, space::kSmall, space::kSmall, 0}, .spacing = space::kTight});
    vboxIn(this, {splitBox(Qt::Vertical, {{top, 1}, {table_, 3}})}, {.margins = 0});

    connect(run_, &QPushButton::clicked, this, &QueryPanel::runQuery);
    connect(cancel_, &QPushButton::clicked, this, &QueryPanel::cancel);
    connect(sql_, &QPlainTextEdit::textChanged, this, &QueryPanel::stateChanged);
    connect(database_, &QComboBox::currentIndexChanged, this, &QueryPanel::fillExamples);
    connect(examples_, &QComboBox::activated, this, [this](int index) {
        if (index > 0) setSql(examples_->itemData(index).toString());
    });
    connect(context.catalog, &RunCatalog::runsChanged, this, &QueryPanel::fillDatabases);
    CommandGroup(context.commands, tr("View"), this)(
        "query.run", tr("Run SQL query"), Qt::CTRL | Qt::Key_Return,
        tr("Read-only query of the chosen database"), [this] { runQuery(); });
    fillDatabases();
    fillExamples();
    setSql(QString::fromUtf8(kExamples[0].sql));
    note_->setText(tr("Read-only queries. For the tables, see the guide (Shift+F1, The run folder)."));
}

QJsonObject QueryPanel::saveState() const {
    return {{QStringLiteral("sql"), sql_->toPlainText()}};
}

void QueryPanel::restoreState(const QJsonObject& saved) {
    if (const QString sql = saved.value(QStringLiteral("sql")).toString(); !sql.isEmpty()) setSql(sql);
}

void QueryPanel::fillDatabases() {
    QStringList wanted{QString()}, have;
    for (const auto& run : context().catalog->runs())
        if (!run.trashed) wanted << QString::fromStdString(run.id);
    for (int i = 0; i < database_->count(); ++i) have << database_->itemData(i).toString();
    if (wanted == have) return;
    const QSignalBlocker quiet(database_);
    const QString before = database_->currentData().toString();
    database_->clear();
    database_->addItem(tr("index.db: all runs"), QString());
    QStringList names;
    for (const QString& id : wanted.mid(1)) names << context().catalog->nameOf(id);
    for (qsizetype i = 0; i < names.size(); ++i) {
        database_->addItem(tr("run.db of %1").arg(distinguishingLabel(names[i], names, kNameCharacters)),
                           wanted[i + 1]);
        database_->setItemData(database_->count() - 1, names[i], Qt::ToolTipRole);
    }
    database_->setCurrentIndex(std::max(0, database_->findData(before)));
}

void QueryPanel::fillExamples() {
    const bool ofRun = !database_->currentData().toString().isEmpty();
    examples_->clear();
    examples_->addItem(tr("Examples"));
    for (const Example& example : kExamples)
        if (example.ofRun == ofRun) examples_->addItem(tr(example.title), QString::fromUtf8(example.sql));
}

std::filesystem::path QueryPanel::database() const {
    const QString run = database_->currentData().toString();
    if (run.isEmpty()) return store::ProjectIndex::fileOf(*context().project);
    return context().project->runFolder(run.toStdString()) / "run.db";
}

void QueryPanel::setSql(const QString& sql) {
    sql_->setPlainText(sql);
}

void QueryPanel::runQuery() {
    if (working_) return;
    working_ = true;
    run_->setEnabled(false);
    cancel_->setEnabled(true);
    note_->setText(tr("Running…"));
    struct Answer {
        Result<store::SqlTable> table;
        double seconds = 0;
    };
    work_.run(
        [file = database(), sql = sql_->toPlainText().toStdString()](const CancelToken& token) -> Answer {
            QElapsedTimer clock;
            clock.start();
            auto table = store::readOnlyQuery(file, sql, {token, kMostRows});
            return {std::move(table), static_cast<double>(clock.nsecsElapsed()) * 1e-9};
        },
        [this](const Answer& answer) { show(answer.table, answer.seconds); });
}

void QueryPanel::cancel() {
    work_.cancel();
}

void QueryPanel::show(const Result<store::SqlTable>& answer, double seconds) {
    working_ = false;
    run_->setEnabled(true);
    cancel_->setEnabled(false);
    setStyleProperty(*note_, "role", answer ? "caption" : "error");
    // Clear the rows of the previous query, also after a failed one.
    fill(*model_, std::make_shared<const store::SqlTable>(answer ? *answer : store::SqlTable()));
    if (!answer) return note_->setText(QString::fromStdString(answer.error().text()));
    fitColumns();
    note_->setText(
        answer->truncated
            ? tr("The first %1 rows; add LIMIT or WHERE. %2 s")
                  .arg(countText(kMostRows), numberText(seconds, 2))
            : tr("%1 in %2 s").arg(countedText(model_->rowCount(), tr("row")), numberText(seconds, 2)));
}

void QueryPanel::fitColumns() {
    constexpr int kMeasuredRows = 50;
    for (int column = 0; column < model_->columnCount(); ++column) {
        int widest = 0;
        for (int row = 0; row < std::min(model_->rowCount(), kMeasuredRows); ++row)
            widest = std::max(widest, table_->fontMetrics().horizontalAdvance(
                                          model_->index(row, column).data().toString()));
        table_->setColumnWidth(column, std::clamp(widest + px(34), px(90), px(360)));
    }
}

bool QueryPanel::hasData() const {
    return model_->columnCount() > 0;
}
QString QueryPanel::statement() const {
    return note_->text();
}

}  // namespace kurve::views
