#pragma once

#include <QBasicTimer>
#include <QPointer>
#include <QString>
#include <QWidget>

namespace kurve::views {

class Panel;

/// A panel's statement in one line at its foot, with the whole of it in the tip. Takes its room from the
/// panel's lower margin, and only where that has plenty: in a low panel there is no line. Asks for the text
/// at most twice a second, while its window is being painted, and paints only what has changed. GUI thread.
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
    void place();
    void watchWindow();
    /// What the panel has or could have without scrolling.
    [[nodiscard]] bool hasRoom() const;

    Panel& panel_;
    QString text_;
    QBasicTimer timer_;
    QPointer<QWidget> window_;
};

}  // namespace kurve::views
