#pragma once

#include <QFrame>
#include <QPointer>
#include <nlohmann/json.hpp>

#include "app/studio/engine/engine_call.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace kurve::studio {

/// A new project from a template: name, folder, and the templates with a line each. The engine copies it
/// (`kurve new`) and removes a copy that failed. GUI thread, never blocks.
class NewProjectForm : public QFrame {
    Q_OBJECT
public:
    explicit NewProjectForm(QWidget* parent = nullptr);
    /// Lists the templates of the engine and focuses the name.
    void open();
    /// The folder of the new project.
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
