#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QThreadPool>
#include <exception>
#include <memory>
#include <utility>

namespace kurve::views {

/// Work for a pool thread whose result comes back to the GUI thread, unless its owner was destroyed or
/// requested something newer. A member of the panel that owns it; GUI thread only.
class Background {
public:
    ~Background() { *newest_ = -1; }
    /// work() runs on a pool thread and must not touch the owner; done(result) runs on the GUI thread.
    /// What work() throws is thrown there instead.
    template <class Work, class Done>
    void run(Work work, Done done) {
        const int ticket = ++*newest_;
        QThreadPool::globalInstance()->start(
            [newest = newest_, ticket, work = std::move(work), done]() mutable {
                std::shared_ptr<decltype(work())> result;
                std::exception_ptr thrown;
                try {
                    result = std::make_shared<decltype(work())>(work());
                } catch (...) {
                    thrown = std::current_exception();
                }
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [newest, ticket, result, thrown, done] {
                        if (thrown) std::rethrow_exception(thrown);
                        if (*newest == ticket) done(std::move(*result));
                    },
                    Qt::QueuedConnection);
            });
    }
    /// Discards the result of the running work.
    void drop() { ++*newest_; }

private:
    std::shared_ptr<int> newest_ = std::make_shared<int>(0);  ///< read and written on the GUI thread only
};

}  // namespace kurve::views
