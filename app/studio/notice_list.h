#pragma once

#include <QFrame>
#include <deque>

class QVBoxLayout;

namespace kurve::studio {

/// What happened to runs, in the window's lower right corner, for desktops without a notification service:
/// stays until it is dismissed, takes no focus. The newest stands below; few are kept.
class NoticeList : public QFrame {
    Q_OBJECT
public:
    explicit NoticeList(QWidget* window);
    /// An empty id: it is about no run that could be shown.
    void add(const QString& runId, const QString& title, const QString& text);

Q_SIGNALS:
    void runWanted(const QString& runId);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void dismiss(QWidget* row);
    void place();

    std::deque<QWidget*> rows_;
    QVBoxLayout* layout_;
};

}  // namespace kurve::studio
