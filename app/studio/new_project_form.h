#pragma once

#include <QFrame>
#include <QPointer>
#include <nlohmann/json.hpp>

#include "app/studio/engine_call.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace kurve::studio {

/// A new project from a template: name, folder, and the templates with a line each. The engine copies it
/// (`kurve new`); nothing of a project that failed stays. GUI thread, never blocks.
class NewProjectForm : public QFrame {
    Q_OBJECT
public:
    explicit NewProjectForm(QWidget* parent = nullptr);
    /// Asks the engine what templates there are, and gives the name the focus.
    void open();
    /// Where the project will lie.
    [[nodiscard]] QString target() const;

Q_SIGNALS:
    void made(const QString& folder);
    void closed();

private:
    void buildLayout();
    void showTemplates(const Result<nlohmann::json>& answer);
    void chooseFolder();
    void check();
    void create();
    void setBusy(bool busy);
    void setProblem(const QString& text);

    QLineEdit *name_, *folder_;
    QPushButton *browse_, *create_, *cancel_;
    QListWidget* templates_;
    QLabel *target_, *problem_;
    QProgressBar* progress_;
    QPointer<EngineCall> call_;
    bool busy_ = false;
};

}  // namespace kurve::studio
