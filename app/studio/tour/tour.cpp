#include "app/studio/tour/tour.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

#include "core/base/result.h"
#include "views/common/text/statement_line.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

namespace {

constexpr int kTickMilliseconds = 50;
constexpr int kPictureSettleMilliseconds = 400;  // after data is there: queued replots and row heights
constexpr int kPatienceMilliseconds = 6000;      // without data the empty state is the picture
constexpr int kRunsPatience = 5000;

/// Anything but one flat colour.
bool drew(const QImage& image) {
    if (image.isNull()) return false;
    const QRgb first = image.pixel(0, 0);
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            if (image.pixel(x, y) != first) return true;
    return false;
}

}  // namespace

Status makeTourScreen(QTemporaryFile& file, QSize size) {
    const QJsonObject screen{{QStringLiteral("name"), QStringLiteral("tour")},
                             {QStringLiteral("x"), 0},
                             {QStringLiteral("y"), 0},
                             {QStringLiteral("width"), size.width()},
                             {QStringLiteral("height"), size.height()},
                             {QStringLiteral("logicalDpi"), 96},
                             {QStringLiteral("logicalBaseDpi"), 96},
                             {QStringLiteral("dpr"), 1}};
    const QJsonDocument screens(QJsonObject{{QStringLiteral("windowFrameMargins"), false},
                                            {QStringLiteral("screens"), QJsonArray{screen}}});
    if (!file.open() || file.write(screens.toJson()) < 0 || !file.flush())
        return workError("io.write", file.errorString().toStdString())
            .fix("free space for temporary files, or set TMPDIR to another folder");
    qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + QFile::encodeName(file.fileName()));
    return {};
}

Tour::Tour(MainWindow& window, ProjectSession& session, QString folder)
    : window_(window), session_(session), folder_(std::move(folder)) {
    stops_.push_back({WorkspaceId::Train, QStringLiteral("runs")});
    stops_.push_back({WorkspaceId::Train, QStringLiteral("inspector")});
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        stops_.push_back({id, {}});
        for (const PanelKind& kind : panelKinds())
            if (kind.workspace == id) stops_.push_back({id, kind.id});
    }
    tick_.setInterval(kTickMilliseconds);
}

void Tour::start() {
    if (!QDir().mkpath(folder_)) {
        qCritical("kurve-studio: cannot make the folder %s", qPrintable(folder_));
        return Q_EMIT finished(1);
    }
    since_.start();
    connect(&tick_, &QTimer::timeout, this, &Tour::waitForData);
    tick_.start();
}

void Tour::waitForData() {
    const bool ready = session_.catalog.loaded() && !session_.engine.info().families().empty();
    if (!ready && since_.elapsed() < kRunsPatience) return;
    tick_.stop();
    tick_.disconnect(this);
    connect(&tick_, &QTimer::timeout, this, &Tour::poll);
    chooseRuns();
    arrive();
}

void Tour::chooseRuns() {
    // The longest run first: it fills every panel; in Compare two more.
    std::vector<const store::RunSummary*> runs;
    for (const auto& run : session_.catalog.runs())
        if (!run.trashed) runs.push_back(&run);
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->step > b->step; });
    QStringList ids;
    const bool comparing = at_ < stops_.size() && stops_[at_].workspace == WorkspaceId::Compare;
    for (std::size_t i = 0; i < runs.size() && i < (comparing ? 3u : 1u); ++i)
        ids << QString::fromStdString(runs[i]->id);
    session_.selection.setRuns(ids);
}

void Tour::arrive() {
    if (at_ >= stops_.size()) return finish();
    const Stop& stop = stops_[at_];
    since_.restart();
    firstPicture_ = -1;
    if (at_ == 0 || stops_[at_ - 1].workspace != stop.workspace) chooseRuns();
    window_.openWorkspace(stop.workspace);
    window_.workspace(stop.workspace).reveal(stop.panel);
    if (stop.workspace == WorkspaceId::Inspect && !session_.selection.trace()) {
        const auto data = session_.catalog.data(session_.selection.primaryRun());
        if (data && !data->traces.empty())
            window_.traces().open(session_.selection.primaryRun(),
                                  QString::fromStdString(newestTrace(data->traces).path.text()));
    }
    if (stop.workspace == WorkspaceId::Inspect && session_.playhead.denoiseSteps() > 1)
        session_.playhead.setDenoiseStep(session_.playhead.denoiseSteps() / 2);
    tick_.start();
}

void Tour::poll() {
    const Stop& stop = stops_[at_];
    views::Panel* panel = window_.panel(stop.panel);
    bool hasData = panel && panel->hasData();
    if (stop.panel.isEmpty()) {
        const auto& panels = window_.workspace(stop.workspace).panels();
        hasData = std::all_of(panels.begin(), panels.end(), [](const auto* p) { return p->hasData(); });
    }
    if (hasData && firstPicture_ < 0) firstPicture_ = since_.elapsed();
    const bool settled = firstPicture_ >= 0 && since_.elapsed() >= firstPicture_ + kPictureSettleMilliseconds;
    if (!settled && since_.elapsed() < kPatienceMilliseconds) return;
    tick_.stop();
    if (stop.panel.isEmpty())
        take(&window_, QStringLiteral("workspace-") + workspaceName(stop.workspace),
             workspaceTitle(stop.workspace), hasData);
    else if (panel)
        take(panel, stop.panel, panel->title(), hasData);
    else
        failed_ = true;  // a panel that is not there drew nothing
    ++at_;
    arrive();
}

void Tour::take(QWidget* widget, const QString& id, const QString& title, bool hadData) {
    for (auto* line : widget->findChildren<views::StatementLine*>())
        line->ask();  // it is updated at intervals only
    const QImage image = widget->grab().toImage();
    const QString file = id + QStringLiteral(".png");
    const bool good = drew(image) && image.save(folder_ + QLatin1Char('/') + file);
    failed_ = failed_ || !good;
    index_.append(
        QJsonObject{{QStringLiteral("panel"), id},
                    {QStringLiteral("title"), title},
                    {QStringLiteral("file"), file},
                    {QStringLiteral("milliseconds"), firstPicture_ >= 0 ? firstPicture_ : since_.elapsed()},
                    {QStringLiteral("had_data"), hadData},
                    {QStringLiteral("drew"), good}});
    if (!good)
        qCritical("kurve-studio: tour: panel %s drew nothing or could not be written to %s", qPrintable(id),
                  qPrintable(folder_));
}

void Tour::finish() {
    const views::Theme& theme = views::theme();
    const QJsonObject document{{QStringLiteral("project"), QString::fromStdString(session_.project().name())},
                               {QStringLiteral("theme"), theme.contrast ? QStringLiteral("contrast")
                                                         : theme.dark   ? QStringLiteral("dark")
                                                                        : QStringLiteral("light")},
                               {QStringLiteral("scale"), theme.scale},
                               {QStringLiteral("panels"), index_}};
    QSaveFile file(folder_ + QStringLiteral("/index.json"));
    const bool written =
        file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(document).toJson()) > 0 && file.commit();
    Q_EMIT finished(written && !failed_ ? 0 : 1);
}

}  // namespace kurve::studio
