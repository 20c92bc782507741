#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QPushButton;

namespace kurve::studio {

/// What the studio shows without a project: the last ones, opening another, and a copy of the sample.
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
    QLabel* problem_;
    QPushButton *open_, *sample_;
};

}  // namespace kurve::studio
