#pragma once

#include <QPushButton>
#include <QStringList>

namespace kurve::views {

/// Empties the trash permanently: the first click asks and shows how many bytes that frees, a second one
/// within a few seconds confirms. Hidden while the trash is empty.
class PurgeButton : public QPushButton {
    Q_OBJECT
public:
    /// `noun`: one of what it deletes ("run").
    explicit PurgeButton(QString noun, QWidget* parent = nullptr);
    /// The ids of what is in the trash.
    void setTrash(const QStringList& ids, qint64 bytes);
    void press();

Q_SIGNALS:
    void confirmed(const QStringList& ids);

private:
    void showText();

    QString noun_;
    QStringList ids_;
    qint64 bytes_ = 0;
    bool confirming_ = false;
};

}  // namespace kurve::views
