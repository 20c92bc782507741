#pragma once

#include <QPushButton>
#include <QStringList>

namespace kurve::views {

/// Deletes what is in the trash for good: the first click asks and says how many bytes that frees, a second
/// one within a few seconds does it. Hidden while there is nothing to delete.
class PurgeButton : public QPushButton {
    Q_OBJECT
public:
    /// What it deletes, in its question and its hint: "Really delete %1 run(s)?"
    struct Words {
        QString question, hint;
    };
    explicit PurgeButton(Words words, QWidget* parent = nullptr);
    /// An id for each of what is in the trash.
    void setTrash(const QStringList& ids, qint64 bytes);
    void press();

Q_SIGNALS:
    void confirmed(const QStringList& ids);

private:
    void showText();

    Words words_;
    QStringList ids_;
    qint64 bytes_ = 0;
    bool asked_ = false;
};

}  // namespace kurve::views
