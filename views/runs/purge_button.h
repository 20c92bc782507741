#pragma once

#include <QPushButton>
#include <QStringList>

namespace kurve::views {

/// Empties the trash permanently: the first click asks and shows how many bytes that frees, a second one
/// within a few seconds confirms. Hidden while the trash is empty.
class PurgeButton : public QPushButton {
    Q_OBJECT
public:
    /// Its question and tooltip: "Delete %1 run(s) permanently?"
    struct Texts {
        QString question, hint;
    };
    explicit PurgeButton(Texts texts, QWidget* parent = nullptr);
    /// The ids of what is in the trash.
    void setTrash(const QStringList& ids, qint64 bytes);
    void press();

Q_SIGNALS:
    void confirmed(const QStringList& ids);

private:
    void showText();

    Texts texts_;
    QStringList ids_;
    qint64 bytes_ = 0;
    bool confirming_ = false;
};

}  // namespace kurve::views
