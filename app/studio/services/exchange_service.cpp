#include "app/studio/services/exchange_service.h"

#include <QDateTime>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QJsonArray>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

#include "app/studio/engine/engine_call.h"
#include "app/studio/window/status_line.h"
#include "core/interop/import_run.h"
#include "core/store/filter_words.h"
#include "core/store/trace_trash.h"
#include "views/common/form/controls.h"
#include "views/common/form/save_dialog.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/corpus/import_request.h"

namespace kurve::studio {

using views::countedText;
using views::describe;

namespace {

QString readableText() {
    return ExchangeService::tr("Import readable entries");
}

struct ImportOutcome {
    QStringList runs, notes, problems, damaged;
    std::int64_t points = 0;
};

/// A damaged line or record: the rest of the file can be imported without it.
bool isDamage(const Error& error) {
    return error.code == "import.crc" || error.code == "import.record" || error.code == "import.line";
}

QString problemText(Error error) {
    if (isDamage(error))
        error.remedy =
            ExchangeService::tr("repair the file, or press “%1”").arg(readableText()).toStdString();
    return QString::fromStdString(error.text());
}

ImportOutcome readLogs(const QStringList& paths, const store::Project& project, const CancelToken& token,
                       bool skipBad) {
    ImportOutcome outcome;
    for (const QString& path : paths) {
        interop::ImportRequest request;
        request.source = path.toStdString();
        request.cancel = token;
        request.reading.skipBad = skipBad;
        const auto made = interop::importRuns(request, project);
        if (!made) {
            outcome.problems << problemText(made.error());
            if (isDamage(made.error())) outcome.damaged << path;
            continue;
        }
        for (const auto& run : *made) {
            outcome.runs << QString::fromStdString(run.id);
            outcome.points += run.points;
            for (const auto& note : run.notes) outcome.notes << QString::fromStdString(note);
        }
    }
    return outcome;
}

QStringList localFiles(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    return paths;
}

}  // namespace

ExchangeService::ExchangeService(ProjectSession& session, QWidget* window)
    : session_(session), window_(window), cancel_(new QToolButton), readable_(new QToolButton) {
    cancel_->setText(tr("Cancel"));
    describe(cancel_, "exchange.cancel", {.hidden = true});
    connect(cancel_, &QToolButton::clicked, this, &ExchangeService::cancel);
    connect(&session.edits, &views::RunEdits::tracesMoved, this, &ProjectFiles::tracesChanged);
    readable_->setText(readableText());
    describe(readable_, "exchange.readable", {},
             tr("Skip damaged lines and records; the log of the run lists them"), {.hidden = true});
    connect(readable_, &QToolButton::clicked, this, &ExchangeService::importReadable);
    window->setAcceptDrops(true);
    window->installEventFilter(this);
}

bool ExchangeService::begin(const QString& what) {
    if (busy_) {
        Q_EMIT said(tr("An import or report is still running; wait or cancel it."));
        return false;
    }
    busy_ = true;
    describe(cancel_, {}, tr("Cancel: %1").arg(what), what);
    cancel_->show();
    offerReadable({});
    Q_EMIT said(what);
    return true;
}

void ExchangeService::finish() {
    busy_ = false;
    cancel_->hide();
}

void ExchangeService::cancel() {
    work_.cancel();
}

void ExchangeService::askReport(const QStringList& runs, const interop::ReportView& view) {
    if (runs.isEmpty()) return Q_EMIT said(tr("Select runs for the report."));
    const QString name = tr("report-%1.html").arg(QDateTime::currentDateTime().toString("yyyyMMdd-HHmm"));
    views::askForFile(window_,
                      {.title = tr("Export comparison report"),
                       .suffix = QStringLiteral("html"),
                       .name = name,
                       .folder = QString::fromStdString(session_.project().folder().string()),
                       .filters = {tr("Web page (*.html)")}},
                      [this, runs, view](const QString& file) { writeReport(runs, view, file); });
}

void ExchangeService::writeReport(const QStringList& runs, const interop::ReportView& view,
                                  const QString& file) {
    if (!begin(tr("Writing the report of %1…").arg(countedText(runs.size(), tr("run"))))) return;
    std::vector<std::string> ids;
    for (const QString& id : runs) ids.push_back(id.toStdString());
    std::vector<interop::ReportPlane> planes;  // "chrf:distinct-2"
    for (const QString& plane : reportPlanes())
        planes.push_back({plane.section(QLatin1Char(':'), 0, 0).toStdString(),
                          plane.section(QLatin1Char(':'), 1).toStdString()});
    work_.run(
        [project = session_.project(), ids, view, file, planes](const CancelToken& token) {
            interop::ReportOptions options;
            options.planes = planes;
            options.view = view;
            options.cancel = token;
            return interop::writeReport(project, ids, file.toStdString(), options);
        },
        [this, file](const Status& status) {
            finish();
            Q_EMIT said(status ? tr("Report written to %1").arg(QDir::toNativeSeparators(file))
                               : QString::fromStdString(status.error().text()));
        });
}

void ExchangeService::askImport() {
    auto* dialog = new QFileDialog(window_, tr("Import logs as runs"), QDir::homePath(),
                                   tr("Logs (*tfevents* *.csv *.tsv *.jsonl *.ndjson);;All files (*)"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, &ExchangeService::importLogs);
    dialog->open();
}

void ExchangeService::askImportFolder() {
    auto* dialog = new QFileDialog(window_, tr("Import folder of TensorBoard event files"), QDir::homePath());
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, &ExchangeService::importLogs);
    dialog->open();
}

void ExchangeService::askImportModel() {
    auto* dialog =
        new QFileDialog(window_, tr("Import model: folder with config.json and weights"), QDir::homePath());
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &ExchangeService::importModel);
    dialog->open();
}

void ExchangeService::importModel(const QString& folder) {
    if (!begin(tr("Importing %1…").arg(QDir::toNativeSeparators(folder)))) return;
    cancel_->hide();  // it takes seconds
    const QString project = QString::fromStdString(session_.project().folder().string());
    EngineCall::start(
        {QStringLiteral("import-model"), folder, QStringLiteral("--project"), project},
        [this](const Result<nlohmann::json>& made) {
            finish();
            if (!made) return Q_EMIT said(QString::fromStdString(made.error().text()));
            const QString run = QString::fromStdString(made->value("run", std::string()));
            Q_EMIT said(tr("Model imported as run %1.").arg(run));
            session_.catalog.refreshSoon();
            Q_EMIT imported({run});
        },
        this);
}

void ExchangeService::importLogs(const QStringList& paths) {
    import(paths, false);
}

void ExchangeService::importReadable() {
    if (damaged_.isEmpty()) return Q_EMIT said(tr("The last import had no damaged files."));
    import(QStringList(damaged_), true);
}

void ExchangeService::offerReadable(const QStringList& damaged) {
    damaged_ = damaged;
    readable_->setVisible(!damaged.isEmpty());
}

void ExchangeService::import(const QStringList& paths, bool skipBad) {
    if (!begin(tr("Importing %1…").arg(paths.join(QStringLiteral(", "))))) return;
    work_.run([project = session_.project(), paths,
               skipBad](const CancelToken& token) { return readLogs(paths, project, token, skipBad); },
              [this](const ImportOutcome& outcome) {
                  finish();
                  offerReadable(outcome.damaged);
                  QStringList parts;
                  if (!outcome.runs.isEmpty())
                      parts << tr("%1 with %2 imported.")
                                   .arg(countedText(outcome.runs.size(), tr("run")),
                                        countedText(outcome.points, tr("point")));
                  Q_EMIT said((parts + outcome.problems + outcome.notes).join(QStringLiteral("  ")));
                  if (outcome.runs.isEmpty()) return;
                  session_.catalog.refreshSoon();
                  Q_EMIT imported(outcome.runs);
              });
}

void ExchangeService::free(const QString& what, std::function<Result<std::int64_t>()> purge) {
    if (!begin(what)) return;
    work_.run(std::move(purge), [this](const Result<std::int64_t>& freed) {
        finish();
        session_.catalog.refreshSoon();
        Q_EMIT tracesChanged();
        Q_EMIT said(freed ? tr("%1 freed.").arg(views::bytesText(static_cast<double>(*freed)))
                          : QString::fromStdString(freed.error().text()));
    });
}

void ExchangeService::purge(const QStringList& runs) {
    std::vector<store::RunSummary> summaries;
    for (const QString& id : runs)
        if (const auto* run = session_.catalog.run(id)) summaries.push_back(*run);
    free(tr("Deleting %1…").arg(countedText(runs.size(), tr("run"))),
         [project = session_.project(), summaries] { return store::purgeRuns(project, summaries); });
}

void ExchangeService::purgeTraces(const std::vector<store::TraceFile>& files) {
    if (files.empty()) return;
    free(tr("Deleting %1…").arg(countedText(static_cast<qint64>(files.size()), tr("trace"))),
         [project = session_.project(), files] { return store::purgeTraces(project, files); });
}

QStringList ExchangeService::reportPlanes() const {
    return session_.state().value(QStringLiteral("reportPlanes")).toVariant().toStringList();
}

void ExchangeService::setReportPlanes(const QStringList& planes) {
    session_.put(QStringLiteral("reportPlanes"), QJsonArray::fromStringList(planes));
}

double ExchangeService::diskBudget() const {
    return session_.state().value(StatusLine::kBudgetKey).toDouble();
}

void ExchangeService::setDiskBudget(double bytes) {
    session_.put(StatusLine::kBudgetKey, bytes);
    Q_EMIT diskBudgetChanged();
}

bool ExchangeService::recognises(const QStringList& paths) {
    const auto isLog = [](const QString& path) {
        return interop::findLogFormat({}, path.toStdString()).has_value();
    };
    return std::any_of(paths.begin(), paths.end(), isLog);
}

bool ExchangeService::eventFilter(QObject* watched, QEvent* event) {
    const bool enters = event->type() == QEvent::DragEnter;
    if (!enters && event->type() != QEvent::Drop) return QObject::eventFilter(watched, event);
    auto* drag = static_cast<QDropEvent*>(event);
    const QStringList files = localFiles(drag->mimeData());
    const bool isText = views::isPairText(files);
    if (!isText && !recognises(files)) return false;
    drag->acceptProposedAction();
    if (enters)
        Q_EMIT said(isText ? tr("Drop to import the text as a corpus.")
                           : tr("Drop to import the logs as runs."));
    else if (isText)
        Q_EMIT textDropped(files);
    else
        importLogs(files);
    return true;
}

}  // namespace kurve::studio
