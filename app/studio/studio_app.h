#pragma once

#include <QObject>
#include <memory>

#include "app/studio/studio_options.h"

namespace kurve::studio {

class MainWindow;
class ProjectSession;
class StartPage;

/// Opens projects, remembers the last ones, and builds the window anew when the zoom or the theme
/// changes.
class StudioApp : public QObject {
    Q_OBJECT
public:
    explicit StudioApp(StudioOptions options);
    ~StudioApp() override;
    /// Opens the asked project, else the last one, else the start page.
    void start();
    /// False and a message on the start page if the folder is no project.
    bool openProject(const QString& folder);
    [[nodiscard]] MainWindow* window() const { return window_.get(); }
    [[nodiscard]] ProjectSession* session() const { return session_.get(); }

private:
    void buildWindow(const QByteArray& geometry);
    void showStartPage(const QString& problem);
    void showCaught(const QString& what);
    void makeSample(const QString& folder);
    void setZoom(double scale);
    void setTheme(views::ThemeMode mode);
    void restyle(views::ThemeMode mode, double scale);

    StudioOptions options_;
    std::unique_ptr<ProjectSession> session_;
    std::unique_ptr<MainWindow> window_;
    std::unique_ptr<StartPage> startPage_;
};

}  // namespace kurve::studio
