#pragma once

#include <QBasicTimer>
#include <QPointer>
#include <QString>
#include <QWidget>

namespace kurve::views {

class Panel;

/// A panel's statement in one line at its bottom, with the full text in the tooltip. It occupies the panel's
/// lower margin, only in a high panel. Updates the text at most twice a second, while its window is painted,
/// and repaints only changes. GUI thread.
class StatementLine : public QWidget {
    Q_OBJECT
public:
    explicit StatementLine(Panel& panel);
    [[nodiscard]] const QString& text() const { return text_; }
    void ask();  ///< at once, for a picture of the panel

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void timerEvent(QTimerEvent* event) override;

private:
    void layOut();
    void watchWindow();
    /// Whether the panel is high enough.
    [[nodiscard]] bool fits() const;

    Panel& panel_;
    QString text_;
    QBasicTimer timer_;
    QPointer<QWidget> window_;
};

}  // namespace kurve::views
