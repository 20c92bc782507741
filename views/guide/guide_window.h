#pragma once

#include <QWidget>

class QTextBrowser;

namespace kurve::views {

/// The user guide in a window of its own: the pages of assets/help, built into the program, with links and
/// a back button.
class GuideWindow : public QWidget {
    Q_OBJECT
public:
    explicit GuideWindow(QWidget* parent = nullptr);
    void open(const QString& page);  ///< "training"; "index" is the first page
    [[nodiscard]] QString page() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void layOut();
    QTextBrowser* browser_;
};

}  // namespace kurve::views
