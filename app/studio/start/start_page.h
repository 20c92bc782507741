#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QPushButton;

namespace kurve::studio {

class NewProjectForm;

/// Shown without a project: recent projects, open another, a copy of the sample, and a new one from a
/// template.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(const QStringList& recent, QWidget* parent = nullptr);
    void setProblem(const QString& text);
    void setBusy(const QString& text);

Q_SIGNALS:
    void projectChosen(const QString& folder);
    void sampleChosen(const QString& folder);

private:
    void chooseFolder();
    void showForm(bool on);
    void tell(const QString& text, const char* role);
    void fillRecent(const QStringList& recent);
    QLabel* problem_;
    QPushButton *open_, *sample_, *new_;
    QWidget* recent_;
    NewProjectForm* form_;
};

}  // namespace kurve::studio
