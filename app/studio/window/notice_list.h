#pragma once

#include <QFrame>
#include <deque>

class QVBoxLayout;

namespace kurve::studio {

/// Notices of runs in the window's lower right corner, for desktops without a notification service: shown
/// until dismissed, without taking the focus. The newest is last; at most four.
class NoticeList : public QFrame {
    Q_OBJECT
public:
    explicit NoticeList(QWidget* window);
    /// An empty id: there is no run to show.
    void add(const QString& runId, const QString& title, const QString& text);

Q_SIGNALS:
    void runWanted(const QString& runId);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void dismiss(QWidget* row);
    void reposition();

    std::deque<QWidget*> rows_;
    QVBoxLayout* layout_;
};

}  // namespace kurve::studio
