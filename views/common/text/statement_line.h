#pragma once

#include <QBasicTimer>
#include <QPointer>
#include <QString>
#include <QWidget>

namespace kurve::views {

class Panel;

/// A panel's statement in one line, with the full text in the tooltip. Updates the text at most twice a
/// second, while its window is painted, and repaints only changes. GUI thread.
class StatementLine : public QWidget {
    Q_OBJECT
public:
    StatementLine(Panel& panel, QWidget* parent);
    [[nodiscard]] const QString& text() const { return text_; }
    void ask();  ///< at once, for a picture of the panel
    [[nodiscard]] QSize sizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void timerEvent(QTimerEvent* event) override;

private:
    void watchWindow();

    Panel& panel_;
    QString text_;
    QBasicTimer timer_;
    QPointer<QWidget> window_;
};

}  // namespace kurve::views
