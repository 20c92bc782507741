#include "app/studio/studio_app.h"

#include <QFileInfo>
#include <QSettings>

#include "app/studio/engine/engine_call.h"
#include "app/studio/engine/engine_program.h"
#include "app/studio/session/project_session.h"
#include "app/studio/start/start_page.h"
#include "app/studio/studio_application.h"
#include "app/studio/tour/guided_tour.h"
#include "app/studio/window/main_window.h"

namespace kurve::studio {

using views::ThemeMode;

namespace {
constexpr int kRecent = 8;
}  // namespace

StudioApp::StudioApp(StudioOptions options) : options_(std::move(options)) {
    const QSettings settings;
    const auto mode = static_cast<ThemeMode>(
        views::choiceOf(kThemeNames, settings.value(QStringLiteral("theme")).toString(),
                        static_cast<int>(ThemeMode::System)));
    views::applyTheme(options_.theme.value_or(mode),
                      options_.scale.value_or(settings.value(QStringLiteral("scale"), 1.0).toDouble()));
    if (const auto* application = qobject_cast<StudioApplication*>(QCoreApplication::instance()))
        connect(application, &StudioApplication::caught, this, &StudioApp::showCaught);
}

StudioApp::~StudioApp() {
    window_.reset();
    session_.reset();
}

void StudioApp::start() {
    const QStringList recent = QSettings().value(QStringLiteral("recent")).toStringList();
    QString folder = options_.project;
    if (folder.isEmpty() && !recent.isEmpty() &&
        QFileInfo::exists(recent.first() + QStringLiteral("/project.toml")))
        folder = recent.first();
    if (folder.isEmpty()) return showStartPage({});
    openProject(folder);
}

bool StudioApp::openProject(const QString& folder) {
    auto project = store::Project::open(QFileInfo(folder).absoluteFilePath().toStdString());
    if (!project) {
        showStartPage(QString::fromStdString(project.error().text()));
        return false;
    }
    QSettings settings;
    QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
    const QString path = QString::fromStdString(project->folder().string());
    recent.removeAll(path);
    recent.prepend(path);
    // A project that is only photographed is not the last one opened.
    if (options_.tour.isEmpty()) settings.setValue(QStringLiteral("recent"), recent.mid(0, kRecent));
    const QStringList ended = session_ ? session_->jobsEndedByQuit() : QStringList();
    const QString left = session_ ? QString::fromStdString(session_->project().name()) : QString();
    window_.reset();
    session_.reset();  // before a new one of the same project reads its files and locks its queue
    using Persistence = ProjectSession::Persistence;
    session_ =
        std::make_unique<ProjectSession>(std::move(*project), !options_.tour.isEmpty() ? Persistence::None
                                                              : options_.restore       ? Persistence::Restore
                                                                                       : Persistence::Fresh);
    buildWindow({});
    startPage_.reset();
    if (!ended.isEmpty())
        window_->say(tr("Stopped until %1 is open again: %2.").arg(left, ended.join(QStringLiteral(", "))));
    // After the window: a slow engine must not hold it up.
    QMetaObject::invokeMethod(
        session_.get(), [this] { session_->engine.load(findEngineProgram()); }, Qt::QueuedConnection);
    return true;
}

void StudioApp::buildWindow(const QByteArray& geometry) {
    window_ = std::make_unique<MainWindow>(*session_, options_);
    connect(
        window_.get(), &MainWindow::projectChosen, this,
        [this](const QString& folder) { openProject(folder); }, Qt::QueuedConnection);
    connect(window_.get(), &MainWindow::zoomChosen, this, &StudioApp::setZoom, Qt::QueuedConnection);
    connect(window_.get(), &MainWindow::themeChosen, this, &StudioApp::setTheme, Qt::QueuedConnection);
    if (!geometry.isEmpty()) window_->restoreGeometry(geometry);
    if (options_.size) window_->resize(*options_.size);
    window_->show();
    // Options of the command line hold for the first window only.
    options_.workspace.reset();
    options_.runs.clear();
    options_.size.reset();
}

void StudioApp::setZoom(double scale) {
    if (scale == views::theme().scale) return;
    QSettings().setValue(QStringLiteral("scale"), scale);
    restyle(views::themeMode(), scale);
    window_->say(tr("Interface size %1 %").arg(qRound(scale * 100)));
}

void StudioApp::setTheme(ThemeMode mode) {
    QSettings().setValue(QStringLiteral("theme"), views::savedChoice(kThemeNames, static_cast<int>(mode)));
    if (mode != views::themeMode()) restyle(mode, views::theme().scale);
}

// Widgets hold colours and sizes of the theme they were made in, so the window is rebuilt.
void StudioApp::restyle(ThemeMode mode, double scale) {
    // The old window goes first: restyling it costs more than building the new one.
    const QByteArray geometry = window_->saveGeometry();
    const GuidedTour* before = window_->tour();
    const int stop = before && before->isRunning() ? before->stop() : -1;
    const QString ended = before ? before->endedRun() : QString();
    window_.reset();
    views::applyTheme(mode, scale);
    buildWindow(geometry);
    if (GuidedTour* tour = window_->tour(); tour && stop >= 0)
        ended.isEmpty() ? tour->go(static_cast<std::size_t>(stop)) : tour->showEnd(ended);
}

void StudioApp::showStartPage(const QString& problem) {
    if (!startPage_) {
        startPage_ = std::make_unique<StartPage>(QSettings().value(QStringLiteral("recent")).toStringList());
        connect(
            startPage_.get(), &StartPage::projectChosen, this,
            [this](const QString& folder) { openProject(folder); }, Qt::QueuedConnection);
        connect(startPage_.get(), &StartPage::sampleChosen, this, &StudioApp::makeSample);
    }
    startPage_->setProblem(problem);
    if (window_)
        window_->say(problem);
    else
        startPage_->show();
}

void StudioApp::showCaught(const QString& what) {
    const QString text = tr("Internal error; the operation was cancelled: %1").arg(what);
    window_ ? window_->say(text) : showStartPage(text);
}

void StudioApp::makeSample(const QString& folder) {
    startPage_->setBusy(tr("Copying the sample project to %1…").arg(folder));
    const auto made = [this, folder](const Result<nlohmann::json>& answer) {
        if (answer)
            openProject(folder);
        else if (startPage_)
            startPage_->setProblem(QString::fromStdString(answer.error().text()));
    };
    EngineCall::start({QStringLiteral("new"), folder, QStringLiteral("--template"), QStringLiteral("sample")},
                      made, this);
}

}  // namespace kurve::studio
